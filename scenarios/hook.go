package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/internal/near"
)

// hook is one `hook` line. Like the provider it outlives the process: each
// asking takes the next outcome, whichever life asks, and the last one repeats.
type hook struct {
	on       harness.HookPoint
	outcomes []hookOutcome
	asked    int
}

type hookOutcome struct {
	what string
	text string // block, prevent, halt
}

// hookOutcomes is the closed list, and whether a text belongs to it.
var hookOutcomes = []struct {
	name  string
	value string
}{
	{"allow", ""}, {"block", "T"}, {"prevent", "T"}, {"halt", "T"}, {"crash", ""}, {"panic", ""}, {"hang", ""},
}

func outcomeNames() []string {
	var names []string
	for _, o := range hookOutcomes {
		names = append(names, o.name)
	}
	return names
}

// hookPoints are where a hook is asked.
var hookPoints = []string{string(harness.OnStop), string(harness.OnTool)}

// parseHook reads stop|tool OUTCOME...
func parseHook(args []string) (*hook, error) {
	if !slices.Contains(hookPoints, args[0]) {
		return nil, errors.New(near.Unknown("hook point", args[0], hookPoints))
	}
	h := &hook{on: harness.HookPoint(args[0])}
	for _, w := range args[1:] {
		name, value, hasValue := strings.Cut(w, "=")
		i := slices.Index(outcomeNames(), name)
		switch {
		case i < 0:
			return nil, errors.New(near.Unknown("hook outcome", name, outcomeNames()))
		case hookOutcomes[i].value == "" && hasValue:
			return nil, fmt.Errorf("%s takes no value: write %s", name, name)
		case hookOutcomes[i].value != "" && strings.TrimSpace(value) == "":
			return nil, fmt.Errorf("%s needs to say why: %s=%s", name, name, hookOutcomes[i].value)
		}
		h.outcomes = append(h.outcomes, hookOutcome{name, value})
	}
	return h, nil
}

// hooks are the session's, as this life asks them.
func (l *life) hooks() []harness.Hook {
	var list []harness.Hook
	for i, h := range l.s.hooks {
		list = append(list, harness.Hook{
			Name: "hook." + strconv.Itoa(i+1), On: h.on,
			Run: func(ctx context.Context, in harness.HookInput) (harness.HookOutcome, error) { return l.ask(ctx, h, in) },
		})
	}
	return list
}

// ask takes the hook's next outcome, and notes it before it is said: a hook that
// hangs was asked, too.
func (l *life) ask(ctx context.Context, h *hook, in harness.HookInput) (harness.HookOutcome, error) {
	o := h.outcomes[min(h.asked, len(h.outcomes)-1)]
	h.asked++
	noted := evidence.Hook{
		Step: int(l.e.world.Trace(evidence.Step{Kind: stepHook, What: string(h.on)})),
		Life: l.n, Kind: string(h.on), Active: in.Active, Outcome: o.what, Text: o.text,
	}
	l.s.log.Hook(noted)
	if a := l.e.alone; a != nil && a.hook != nil && l.n == a.life {
		a.hook(noted)
	}
	switch o.what {
	case "crash":
		return harness.HookOutcome{}, errors.New("the hook crashed, as the scenario says")
	case "panic":
		panic("the hook panics, as the scenario says")
	case "hang":
		return harness.HookOutcome{}, in.Env.Clock.Note().Wait(ctx, "the end of a hook, which hangs")
	}
	return harness.HookOutcome{Verdict: o.what, Text: o.text}, nil
}

// stepHook is the step of the trace in which a hook is asked.
const stepHook evidence.StepKind = "hook"
