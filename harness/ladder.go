package harness

import (
	"strings"

	"github.com/harnessbench/bench/providers"
)

// Rung is one step of the recovery ladder: when it applies, how often it may
// be used, and what it does with the answer.
type Rung struct {
	Name     Transition
	Summary  string
	Trigger  string // in words, when Applies holds
	Applies  func(State, *Turn, Limits) bool
	Used     func(State) int
	Limit    func(Limits) int
	Commit   bool   // the answer is committed before the loop goes on; else it is discarded
	Turn     bool   // it uses a turn: it needs one that is left
	Progress string // what counts as progress between two uses
	Source   string // mechanism
}

// ladder is the order, cheapest first. It is the one place where it is decided.
var ladder = []Rung{
	{
		Name: CollapseDrainRetry, Summary: "results and images that were staged are collapsed, and the request is sent again",
		Trigger:  "the request was refused as too long or too large, or for an image, or its answer filled the window; and results or images are staged",
		Applies:  func(s State, t *Turn, l Limits) bool { return overflowed(s, t, l) && staged(s, t, l) },
		Used:     func(s State) int { return s.Counters.Drains },
		Limit:    func(Limits) int { return drainsATurn },
		Progress: "a smaller request: tokens for an overflow, bytes for 413, images for a refused image", Source: "D1",
	},
	{
		Name: ReactiveCompactRetry, Summary: "the history is summarised, and the request is sent again",
		Trigger: "the request was refused as too long or too large, or its answer filled the window; nothing is staged, a summary can stand for something, and fewer than summary_fails failed in a row",
		Applies: func(s State, t *Turn, l Limits) bool {
			return overflowed(s, t, l) && class(t) != providers.BadImage && s.summaryFails < l.SummaryFails && summarisable(s, l)
		},
		Used:     func(s State) int { return s.Counters.Summaries },
		Limit:    func(Limits) int { return summariesATurn },
		Progress: "a smaller request", Source: "D2",
	},
	{
		Name: MaxOutputLower, Summary: "the same request with a max_tokens that fits the window behind the input",
		Trigger:  "input and max_tokens together are more than the window, and a smaller max_tokens fits",
		Applies:  func(s State, t *Turn, l Limits) bool { return lowered(s, t, l) > 0 },
		Used:     func(s State) int { return s.Counters.Lowers },
		Limit:    func(Limits) int { return lowersATurn },
		Progress: "a smaller max_tokens", Source: "D3",
	},
	{
		Name: MaxOutputEscalate, Summary: "the same request with a larger max_tokens; the cut answer is dropped",
		Trigger: "the answer was cut at max_tokens, which was neither raised nor lowered since next_turn",
		Applies: func(s State, t *Turn, l Limits) bool {
			return t.Ending == Complete && t.Stop == "max_tokens" && s.MaxTokens == 0 && l.Escalate > l.MaxTokens
		},
		Used:     func(s State) int { return s.Counters.Escalations },
		Limit:    func(l Limits) int { return min(1, l.Escalate) },
		Progress: "a larger max_tokens", Source: "D4",
	},
	{
		Name: MaxOutputRecovery, Summary: "the cut answer is kept, and the model is asked to go on where it stopped",
		Trigger: "the answer was cut at max_tokens, without a complete call, and brought something new",
		Applies: func(s State, t *Turn, l Limits) bool {
			return t.Ending == Complete && t.Stop == "max_tokens" && !wantsNextTurn(t) && moved(s, t)
		},
		Used:   func(s State) int { return s.Counters.Continuations },
		Limit:  func(l Limits) int { return l.Continue },
		Commit: true, Progress: "new text", Source: "D5, D6",
	},
	{
		Name: TransportRetry, Summary: "the same request again after a wait that doubles",
		Trigger: "408, 429, 5xx, 529, the network, a cut stream, silence, or an overload inside the stream",
		Applies: func(s State, t *Turn, l Limits) bool {
			return t.Ending != Complete && t.Err != nil && t.Err.Retryable() && !fallbackDue(s, t, l)
		},
		Used:     func(s State) int { return s.Counters.Retries },
		Limit:    func(l Limits) int { return l.Retries },
		Progress: "the counter of the request", Source: "D7",
	},
	{
		Name: ModelFallback, Summary: "the same request to the fallback model, after three overloads in a row",
		Trigger:  "a third overload in a row, where a fallback model is set",
		Applies:  fallbackDue,
		Used:     func(s State) int { return s.Counters.Fallbacks },
		Limit:    func(l Limits) int { return fallbacksARun },
		Progress: "another model", Source: "D8",
	},
	{
		Name: EmptyRetry, Summary: "the same request with a hint that it was answered with nothing",
		Trigger: "the answer has neither text nor call, and says that it ended well",
		Applies: func(_ State, t *Turn, _ Limits) bool {
			return t.Ending == Complete && t.Empty() && t.Over()
		},
		Used:     func(s State) int { return s.Counters.Empty },
		Limit:    func(l Limits) int { return l.Empty },
		Progress: "any text or call", Source: "D9",
	},
	{
		Name: ProtocolRetry, Summary: "the same request again after an answer that contradicts itself, or that writes its call as text",
		Trigger: "the stream is malformed, the stop reason is tool_use without a call, or says that the call is malformed, or a final answer writes its call as text",
		Applies: func(_ State, t *Turn, _ Limits) bool {
			return malformed(t) || t.Ending == Complete && (t.Disowned() ||
				len(t.Calls) == 0 && (t.Stop == "tool_use" && !t.Over() || t.Final() && t.TextCall != ""))
		},
		Used:     func(s State) int { return s.Counters.Protocol },
		Limit:    func(l Limits) int { return l.Protocol },
		Progress: "a legal answer", Source: "A2, N3",
	},
	{
		Name: PauseContinue, Summary: "the paused answer sent back unchanged",
		Trigger: "the stop reason is pause_turn, without a call",
		Applies: func(_ State, t *Turn, _ Limits) bool {
			return t.Ending == Complete && t.Stop == "pause_turn" && len(t.Calls) == 0
		},
		Used:   func(s State) int { return s.Counters.Pauses },
		Limit:  func(l Limits) int { return l.Pauses },
		Commit: true, Progress: "the next part of the answer", Source: "gsd-build/gsd-2#2869",
	},
	{
		Name: StopHookBlocking, Summary: "a stop hook sent the answer back",
		Trigger: "a stop hook says block of a final answer",
		Applies: func(s State, t *Turn, _ Limits) bool { return t.Final() && s.Verdicts.Hook == hookBlock },
		Used:    func(s State) int { return s.Counters.HookBlocks },
		Limit:   func(l Limits) int { return l.HookBlocks },
		Commit:  true, Turn: true, Progress: "a turn", Source: "D10, G8",
	},
	{
		Name: GateFeedback, Summary: "the completion gate, or the goal judge, sent the answer back with what lacks",
		Trigger: "the completion gate says fail, or the goal judge not_done, of a final answer",
		Applies: func(s State, t *Turn, l Limits) bool {
			return t.Final() && (s.Verdicts.Completion == gateFail && s.Counters.GateBlocks < l.GateBlocks ||
				s.Verdicts.Judge == judgeNotDone && s.Counters.JudgeBlocks < l.JudgeBlocks)
		},
		Used:   func(s State) int { return s.Counters.GateBlocks + s.Counters.JudgeBlocks },
		Limit:  func(l Limits) int { return l.GateBlocks + l.JudgeBlocks },
		Commit: true, Turn: true, Progress: "a turn", Source: "G1, G5",
	},
	{
		Name: TokenBudgetContinuation, Summary: "tokens are left that the run is to use: the model is nudged to go on",
		Trigger: "a final answer that no gate is against comes before 90 percent of the tokens to be used (nudge; none by default)",
		Applies: func(s State, t *Turn, l Limits) bool {
			return t.Final() && l.Nudge > 0 && s.Verdicts.passed() && s.nudges.more(s, t, l)
		},
		Used:   func(s State) int { return s.Counters.Nudges },
		Limit:  func(l Limits) int { return l.Nudges },
		Commit: true, Turn: true, Progress: "500 tokens in two answers", Source: "D11",
	},
	{
		Name: NextTurn, Summary: "the calls are run, and the model is asked again with their results",
		Trigger: "the answer has a complete call, whatever its stop reason says; a refusal has none, nor has an answer whose calls the provider calls malformed",
		Applies: func(_ State, t *Turn, _ Limits) bool { return wantsNextTurn(t) },
		Used:    func(s State) int { return s.Turn },
		Limit:   func(l Limits) int { return l.MaxTurns - 1 },
		Commit:  true, Turn: true, Progress: "results", Source: "A1, D12",
	},
}

// Ladder returns the rungs in order.
func Ladder() []Rung { return append([]Rung(nil), ladder...) }

// again reports whether the next request only repeats the last one: its answer
// was discarded.
func (s State) again() bool {
	for i := range ladder {
		if ladder[i].Name == s.Last {
			return !ladder[i].Commit
		}
	}
	return false
}

// wantsNextTurn: a client call decides, whatever the stop reason (A1), except
// a refusal, and where the provider itself says that it is none; and an answer cut by a token limit needs a call besides the cut one.
func wantsNextTurn(t *Turn) bool {
	if t.Ending != Complete || t.Stop == "refusal" || t.Disowned() {
		return false
	}
	for i := range t.Calls {
		if c := &t.Calls[i]; !t.Truncated() || !c.Open && c.Block != len(t.Blocks)-1 {
			return true
		}
	}
	return false
}

func class(t *Turn) providers.Class {
	if t.Ending == Complete || t.Err == nil {
		return ""
	}
	return t.Err.Class
}

// overflowed: the request was too long, too large, or had an image that is; or
// the answer filled the window. "input + max_tokens > window" is none of it
// while a smaller max_tokens can help.
func overflowed(s State, t *Turn, l Limits) bool {
	switch class(t) {
	case providers.Overflow, providers.TooLarge, providers.BadImage:
		return true
	case providers.MaxTokens:
		return lowered(s, t, l) == 0 || s.Counters.Lowers >= lowersATurn
	}
	return t.Ending == Complete && t.Stop == "model_context_window_exceeded" && !wantsNextTurn(t)
}

// leastOutput is the smallest max_tokens worth asking for: with less room the
// input itself is the problem.
const leastOutput = 256

// lowered is the max_tokens that fits behind the input, 0 if none does.
func lowered(s State, t *Turn, l Limits) int {
	if class(t) != providers.MaxTokens {
		return 0
	}
	now := s.maxTokens(l)
	fits := now / 2
	if e := t.Err; e.Window > 0 {
		fits = e.Window - e.Input
	}
	if fits < min(leastOutput, now) || fits >= now {
		return 0
	}
	return fits
}

// maxTokens is the limit in force.
func (s State) maxTokens(l Limits) int {
	if s.MaxTokens > 0 {
		return s.MaxTokens
	}
	return l.MaxTokens
}

// moved: a cut answer brought something that the one before it did not. Thinking
// alone is nothing (vellum-ai/vellum-assistant p39487); a cut call is something: the model is
// told that it was cut.
func moved(s State, t *Turn) bool {
	if len(t.Calls) > 0 {
		return true
	}
	text := strings.TrimSpace(t.Text)
	return text != "" && !(s.cut && text == strings.TrimSpace(s.part))
}

func fallbackDue(s State, t *Turn, l Limits) bool {
	return l.fallback && class(t) == providers.Overloaded && s.Counters.Fallbacks == 0 && s.Counters.Overloads+1 >= overloadsInRow
}

func malformed(t *Turn) bool { return class(t) == providers.Protocol }

// passed: no gate has anything against the answer.
func (v Verdicts) passed() bool {
	return (v.Hook == "" || v.Hook == hookAllow || v.Hook == hookFailed) &&
		(v.Completion == "" || v.Completion == gatePass || v.Completion == gateUnverified) &&
		(v.Judge == "" || v.Judge == judgeDone)
}

// nudges are what diminishing returns are told by (D11).
type nudges struct {
	mark int // output tokens of the run at the last nudge
	last int // how many the answer before it had brought
}

func (n nudges) add(out int) nudges { return nudges{mark: out, last: out - n.mark} }

// Nudging stops at so much of what is to be used, and when after three nudges
// two answers in a row brought fewer tokens than this.
const (
	nudgePercent = 90
	nudgeLeast   = 500
	nudgesBefore = 3
)

// more reports whether another nudge is worth it. What the answer itself used
// counts, whether it is committed yet or not.
func (n nudges) more(s State, t *Turn, l Limits) bool {
	out := s.with(t).Out
	if out*100 >= l.Nudge*nudgePercent {
		return false
	}
	return s.Counters.Nudges < nudgesBefore || out-n.mark >= nudgeLeast || n.last >= nudgeLeast
}

// with is the usage of the run with that of a turn that is not committed yet.
func (s State) with(t *Turn) providers.Usage {
	if s.Attempt == "" {
		return s.Usage
	}
	return s.Usage.Plus(t.Usage)
}
