package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/near"
)

// The arguments of the commands that state an expectation, read the same way
// by the checker and by the engine.

func terminalNames() []string {
	var names []string
	for _, t := range harness.Terminals() {
		names = append(names, string(t.Reason))
	}
	return names
}

func checkTerminal(name string) error {
	if slices.Contains(terminalNames(), name) {
		return nil
	}
	return fmt.Errorf("%s", near.Unknown("terminal", name, terminalNames()))
}

// transitionNames are those of the ladder, in its order.
func transitionNames() []string {
	var names []string
	for _, r := range harness.Ladder() {
		names = append(names, string(r.Name))
	}
	return names
}

func parseTransitions(args []string) ([]pattern, error) {
	if len(args) == 1 && args[0] == "none" {
		return nil, nil
	}
	var ps []pattern
	names := transitionNames()
	for _, w := range args {
		if w != "..." && !slices.Contains(names, w) {
			return nil, fmt.Errorf("%s", near.Unknown("transition", w, append(names, "...", "none")))
		}
		ps = append(ps, pattern{text: w, any: w == "...", kind: w})
	}
	return ps, nil
}

// namedCount is NAME=N or NAME=A..B.
type namedCount struct {
	name string
	count
}

// parseCounts reads NAME=COUNT..., or none.
func parseCounts(args []string, what string) ([]namedCount, error) {
	if len(args) == 1 && args[0] == "none" {
		return nil, nil
	}
	var out []namedCount
	for _, w := range args {
		k, v, err := keyValue(w)
		if err != nil {
			return nil, fmt.Errorf("%q is not %s=N or %s=A..B", w, what, what)
		}
		n, err := parseCount(v)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(out, func(c namedCount) bool { return c.name == k }) {
			return nil, fmt.Errorf("%s is there twice", k)
		}
		out = append(out, namedCount{k, n})
	}
	return out, nil
}

// parseRequests reads N, or LANE=N...; the name of a total is "".
func parseRequests(args []string) ([]namedCount, error) {
	if len(args) == 1 && !strings.Contains(args[0], "=") {
		n, err := parseCount(args[0])
		return []namedCount{{"", n}}, err
	}
	return parseCounts(args, "LANE")
}

// callState is ID=STATE.
type callState struct {
	call  callRef
	state journal.State
}

var callStates = []string{
	string(journal.Done), string(journal.Failed), string(journal.Refused),
	string(journal.Never), string(journal.Interrupted), string(journal.Unknown),
}

func parseCalls(args []string) ([]callState, error) {
	var out []callState
	for _, w := range args {
		k, v, err := keyValue(w)
		if err != nil {
			return nil, fmt.Errorf("%q is not ID=STATE", w)
		}
		ref, err := parseCallRef(k)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(callStates, v) {
			return nil, fmt.Errorf("%s", near.Unknown("call state", v, callStates))
		}
		out = append(out, callState{ref, journal.State(v)})
	}
	return out, nil
}

// parseWaits reads D or A..B for each wait, or none.
func parseWaits(args []string) ([]span, error) {
	if len(args) == 1 && args[0] == "none" {
		return nil, nil
	}
	var out []span
	for _, w := range args {
		s, err := parseSpan(w)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// parseSpent reads in=N and out=N; -1 where one is left out.
func parseSpent(args []string) (map[string]int, error) {
	out := map[string]int{}
	for _, w := range args {
		k, v, err := keyValue(w)
		if err != nil || k != "in" && k != "out" {
			return nil, fmt.Errorf("%q is not in=N or out=N", w)
		}
		if out[k], err = parseNatural(k, v, 0); err != nil {
			return nil, err
		}
	}
	return out, nil
}
