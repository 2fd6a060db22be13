package scenarios

import (
	"fmt"
	"strconv"
	"time"

	"github.com/harnessbench/bench/harness"
)

// settings is what `config` lines set.
type settings struct {
	limits harness.Limits
	model  string
	system string
	whole  bool
}

// configKey is one key of `config`.
type configKey struct {
	name  string
	value string // what its value is called
	def   string // its default, in words
	set   func(*settings, string) error
}

// configKeys is the closed list; a key without set belongs to a part that is
// not built yet.
func configKeys() []configKey {
	d := harness.DefaultLimits()
	return []configKey{
		{"max_turns", "N", strconv.Itoa(d.MaxTurns), intFrom(1, func(s *settings) *int { return &s.limits.MaxTurns })},
		{"max_tokens", "N", strconv.Itoa(d.MaxTokens), intFrom(1, func(s *settings) *int { return &s.limits.MaxTokens })},
		{"retries", "N", strconv.Itoa(d.Retries), intFrom(0, func(s *settings) *int { return &s.limits.Retries })},
		{"empty", "N", strconv.Itoa(d.Empty), intFrom(0, func(s *settings) *int { return &s.limits.Empty })},
		{"protocol", "N", strconv.Itoa(d.Protocol), intFrom(0, func(s *settings) *int { return &s.limits.Protocol })},
		{"pauses", "N", strconv.Itoa(d.Pauses), intFrom(0, func(s *settings) *int { return &s.limits.Pauses })},
		{"idle", "D", d.Idle.String(), duration(func(s *settings) *time.Duration { return &s.limits.Idle })},
		{"progress", "D", d.Progress.String(), duration(func(s *settings) *time.Duration { return &s.limits.Progress })},
		{"concurrency", "N", strconv.Itoa(d.Concurrency), intFrom(1, func(s *settings) *int { return &s.limits.Concurrency })},
		{"tool_timeout", "D", d.ToolTimeout.String(), duration(func(s *settings) *time.Duration { return &s.limits.ToolTimeout })},
		{"grace", "D", d.Grace.String(), duration(func(s *settings) *time.Duration { return &s.limits.Grace })},
		{"result_bytes", "SIZE", strconv.Itoa(d.ResultBytes), func(s *settings, v string) (err error) {
			s.limits.ResultBytes, err = parseSize(v)
			if err == nil && s.limits.ResultBytes == 0 {
				err = fmt.Errorf("result_bytes=0: a result keeps at least 1 byte")
			}
			return err
		}},
		{"stream", "on|off", "on", func(s *settings, v string) error {
			if v != "on" && v != "off" {
				return fmt.Errorf("stream=%s: write on or off", v)
			}
			s.whole = v == "off"
			return nil
		}},
		{"model", "NAME", defaultModel, func(s *settings, v string) error { s.model = v; return nil }},
		{"system", "TEXT", "none", func(s *settings, v string) error { s.system = v; return nil }},
		{"window", "N", "", nil},
		{"escalate", "N", "", nil},
		{"continue", "N", "", nil},
		{"collapse_over", "SIZE", "", nil},
		{"compact_at", "N", "", nil},
		{"summary_keep", "N", "", nil},
		{"gate", "on|off", "", nil},
		{"gate_blocks", "N", "", nil},
		{"hook_blocks", "N", "", nil},
		{"loop_after", "N", "", nil},
		{"fallback", "MODEL", "", nil},
	}
}

const defaultModel = "bench-model"

// intFrom makes a setter for a whole number. In Limits a zero means the
// default, so a written 0 becomes "none" (D9: a configured 0 once read as the
// default).
func intFrom(min int, field func(*settings) *int) func(*settings, string) error {
	return func(s *settings, v string) error {
		n, err := strconv.Atoi(v)
		if err != nil || n < min {
			return fmt.Errorf("%q is not a whole number from %d on", v, min)
		}
		if n == 0 {
			n = -1
		}
		*field(s) = n
		return nil
	}
}

func duration(field func(*settings) *time.Duration) func(*settings, string) error {
	return func(s *settings, v string) error {
		d, err := parseDuration(v)
		if err == nil && d == 0 {
			err = fmt.Errorf("a time limit of 0 would end everything at once: write at least 1ms")
		}
		*field(s) = d
		return err
	}
}

// apply reads KEY=VALUE... into s, and says everything that is wrong.
func (s *settings) apply(args []string) []error {
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
			if k.set == nil {
				errs = append(errs, fmt.Errorf("config key %s is not built yet", name))
			} else if err := k.set(s, value); err != nil {
				errs = append(errs, fmt.Errorf("config %s: %w", name, err))
			}
		}
		if !found {
			errs = append(errs, fmt.Errorf("%s", unknown("config key", name, names)))
		}
	}
	return errs
}
