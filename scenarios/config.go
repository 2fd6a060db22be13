package scenarios

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/internal/near"
)

// configKey is one key of `config`.
type configKey struct {
	name  string
	value string // what its value is called
	def   string // its default, in words
	set   func(*harness.Config, string) error
}

const defaultModel = "bench-model"

// configKeys is the closed list.
var configKeys = sync.OnceValue(func() []configKey {
	type limits = harness.Limits
	return []configKey{
		numberKey("max_turns", 1, func(l *limits) *int { return &l.MaxTurns }),
		numberKey("max_tokens", 1, func(l *limits) *int { return &l.MaxTokens }),

		// The ladder.
		numberKey("escalate", 0, func(l *limits) *int { return &l.Escalate }),
		numberKey("continue", 0, func(l *limits) *int { return &l.Continue }),
		numberKey("retries", 0, func(l *limits) *int { return &l.Retries }),
		textKey("fallback", "MODEL", func(c *harness.Config) *string { return &c.Fallback }),
		numberKey("empty", 0, func(l *limits) *int { return &l.Empty }),
		numberKey("protocol", 0, func(l *limits) *int { return &l.Protocol }),
		numberKey("pauses", 0, func(l *limits) *int { return &l.Pauses }),
		numberKey("nudge", 0, func(l *limits) *int { return &l.Nudge }),
		numberKey("nudges", 1, func(l *limits) *int { return &l.Nudges }),
		numberKey("loop_after", 0, func(l *limits) *int { return &l.LoopAfter }),
		numberKey("token_budget", 0, func(l *limits) *int { return &l.TokenBudget }),

		// The context.
		numberKey("window", 0, func(l *limits) *int { return &l.Window }),
		numberKey("compact_at", 1, func(l *limits) *int { return &l.CompactAt }),
		numberKey("block_at", 1, func(l *limits) *int { return &l.BlockAt }),
		sizeKey("message_bytes", func(l *limits) *int { return &l.MessageBytes }),
		sizeKey("preview", func(l *limits) *int { return &l.Preview }),
		numberKey("snip_over", 0, func(l *limits) *int { return &l.SnipOver }),
		numberKey("micro_keep", 0, func(l *limits) *int { return &l.MicroKeep }),
		sizeKey("collapse_over", func(l *limits) *int { return &l.CollapseOver }),
		numberKey("summary_keep", 0, func(l *limits) *int { return &l.SummaryKeep }),
		numberKey("summary_tokens", 1, func(l *limits) *int { return &l.SummaryTokens }),
		numberKey("summary_fails", 1, func(l *limits) *int { return &l.SummaryFails }),
		timeKey("summary_timeout", func(l *limits) *time.Duration { return &l.SummaryTimeout }),

		// The gates.
		numberKey("hook_blocks", 1, func(l *limits) *int { return &l.HookBlocks }),
		timeKey("hook_timeout", func(l *limits) *time.Duration { return &l.HookTimeout }),
		switchKey("gate", "off", func(c *harness.Config, on bool) { c.Gate = on }),
		numberKey("gate_blocks", 1, func(l *limits) *int { return &l.GateBlocks }),
		textKey("goal", "TEXT", func(c *harness.Config) *string { return &c.Goal }),
		numberKey("judge_blocks", 1, func(l *limits) *int { return &l.JudgeBlocks }),
		timeKey("judge_timeout", func(l *limits) *time.Duration { return &l.JudgeTimeout }),

		// Tools.
		numberKey("concurrency", 1, func(l *limits) *int { return &l.Concurrency }),
		timeKey("tool_timeout", func(l *limits) *time.Duration { return &l.ToolTimeout }),
		timeKey("grace", func(l *limits) *time.Duration { return &l.Grace }),
		sizeKey("result_bytes", func(l *limits) *int { return &l.ResultBytes }),
		numberKey("breaker", 0, func(l *limits) *int { return &l.BreakerAfter }),
		timeKey("breaker_for", func(l *limits) *time.Duration { return &l.BreakerFor }),
		timeKey("approve_timeout", func(l *limits) *time.Duration { return &l.ApproveTimeout }),
		switchKey("early", "on", func(c *harness.Config, on bool) { c.NoEarly = !on }),
		switchKey("spill", "on", func(c *harness.Config, on bool) { c.NoSpill = !on }),

		// What is asked, and how.
		timeKey("idle", func(l *limits) *time.Duration { return &l.Idle }),
		timeKey("progress", func(l *limits) *time.Duration { return &l.Progress }),
		switchKey("stream", "on", func(c *harness.Config, on bool) { c.Whole = !on }),
		switchKey("dump", "off", func(c *harness.Config, on bool) { c.Dump = on }),
		{"model", "NAME", defaultModel, func(c *harness.Config, v string) error { c.Model = v; return nil }},
		{"system", "TEXT", "none", func(c *harness.Config, v string) error { c.System = v; return nil }},
	}
})

// defaults are the limits where no line says otherwise.
func defaults() *harness.Limits {
	d := harness.DefaultLimits().Resolve()
	return &d
}

// numberKey makes a key for a whole number. In Limits a zero means the default, so
// a written 0 becomes "none" (D9: a configured 0 once read as the default);
// where the default is none already it stays.
func numberKey(name string, min int, field func(*harness.Limits) *int) configKey {
	def := *field(defaults())
	k := configKey{name: name, value: "N", def: strconv.Itoa(def)}
	if def == 0 {
		k.def = "none"
	}
	k.set = func(c *harness.Config, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < min {
			return fmt.Errorf("%q is not a whole number from %d on", v, min)
		}
		if n == 0 && def != 0 {
			n = -1
		}
		*field(&c.Limits) = n
		return nil
	}
	return k
}

func sizeKey(name string, field func(*harness.Limits) *int) configKey {
	return configKey{name, "SIZE", strconv.Itoa(*field(defaults())), func(c *harness.Config, v string) error {
		n, err := parseSize(v)
		if err == nil && n == 0 {
			err = fmt.Errorf("%s=0: it is at least 1 byte", name)
		}
		*field(&c.Limits) = n
		return err
	}}
}

func timeKey(name string, field func(*harness.Limits) *time.Duration) configKey {
	return configKey{name, "D", field(defaults()).String(), func(c *harness.Config, v string) error {
		d, err := parseDuration(v)
		if err == nil && d == 0 {
			err = fmt.Errorf("a time limit of 0 would end everything at once: write at least 1ms")
		}
		*field(&c.Limits) = d
		return err
	}}
}

func switchKey(name, def string, set func(*harness.Config, bool)) configKey {
	return configKey{name, "on|off", def, func(c *harness.Config, v string) error {
		if v != "on" && v != "off" {
			return fmt.Errorf("%s=%s: write on or off", name, v)
		}
		set(c, v == "on")
		return nil
	}}
}

// textKey makes a key that is none where no line sets it.
func textKey(name, value string, field func(*harness.Config) *string) configKey {
	return configKey{name, value, "none", func(c *harness.Config, v string) error {
		if v == "" {
			return fmt.Errorf("%s= says nothing: write %s=%s, or leave it out", name, name, value)
		}
		*field(c) = v
		return nil
	}}
}

// configure reads KEY=VALUE... into a session's configuration, and says
// everything that is wrong.
func configure(cfg *harness.Config, args []string) []error {
	keys := configKeys()
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	var errs []error
	for _, w := range args {
		name, value, err := keyValue(w)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		found := false
		for _, k := range keys {
			if k.name != name {
				continue
			}
			found = true
			if err := k.set(cfg, value); err != nil {
				errs = append(errs, fmt.Errorf("config %s: %w", name, err))
			}
		}
		if !found {
			errs = append(errs, fmt.Errorf("%s", near.Unknown("config key", name, names)))
		}
	}
	return errs
}
