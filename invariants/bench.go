package invariants

import (
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
)

func benchRules() []Rule {
	return []Rule{{
		Name: "bench/not-vacuous", Group: "bench", Strength: Ours,
		Summary: "What the scenario armed happened: each fault fired, each kill ended a life, each reply that was required was consumed.",
		Why:     "A test whose fault never came is green for the wrong reason, and stays so (trigger verification of arXiv:2608.06790).",
		Reports: []string{"dnaeon/go-vcr#91", "keploy/keploy#4570", "slackapi/steno#26", "NousResearch/hermes-agent#80921"},
		Example: "A kill is armed at a crash point of a call that the model no longer makes.",
		Check:   notVacuous,
	}}
}

func notVacuous(c *Case) []Finding {
	var out []Finding
	kills, cuts := 0, 0
	for i, f := range c.ev.Faults {
		at := Place{File: evidence.LivesFile}
		around := excerpt(len(c.ev.Faults), i, func(j int) string {
			a := c.ev.Faults[j]
			return a.Place + ": " + a.What + ": fired " + itoa(int64(a.Fired)) + " times"
		})
		if f.Fired == 0 {
			what := quoted(f.What)
			if f.Place != "" {
				what += " (" + f.Place + ")"
			}
			out = append(out, found(at, around, "%s never happened, so nothing was proved by it%s", what, near(f.Near)))
		}
		switch words := strings.Fields(f.What); {
		case slices.Contains(words, "kill"):
			kills += f.Fired
		case slices.Contains(words, "powercut"):
			cuts += f.Fired
		}
	}
	if c.ev.Has(evidence.KindLives) {
		killed, cut := 0, 0
		for _, l := range c.ev.Lives {
			switch {
			case strings.HasPrefix(l.Outcome, "killed"):
				killed++
			case strings.HasPrefix(l.Outcome, "powercut"):
				cut++
			}
		}
		if killed < kills {
			out = append(out, found(Place{File: evidence.LivesFile}, nil, "kills that fired: %d; lives that ended by one: %d", kills, killed))
		}
		if cut < cuts {
			out = append(out, found(Place{File: evidence.LivesFile}, nil, "power cuts that fired: %d; lives that ended by one: %d", cuts, cut))
		}
	}
	for _, u := range c.ev.Unused {
		out = append(out, found(Place{File: evidence.ExchangesFile}, nil, "something that the scenario requires was never used: %s", strings.TrimSuffix(u, ".")))
	}
	return out
}

func near(s string) string {
	if s == "" {
		return ""
	}
	return "; " + strings.TrimSuffix(s, ".")
}
