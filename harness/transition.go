package harness

// Transition is why the loop went on: each `continue` of the loop has one, and
// each is a record (A7).
type Transition string

// The transitions.
const (
	UserInput               Transition = ""                          // the first prompt is none
	NextTurn                Transition = "next_turn"                 // tools ran; the model is asked again
	CollapseDrainRetry      Transition = "collapse_drain_retry"      // what was staged is collapsed (D1)
	ReactiveCompactRetry    Transition = "reactive_compact_retry"    // the history is summarised (D2)
	MaxOutputLower          Transition = "max_output_lower"          // the same request with a smaller max_tokens (D3)
	MaxOutputEscalate       Transition = "max_output_escalate"       // the same request with a larger one; the partial answer is dropped (D4)
	MaxOutputRecovery       Transition = "max_output_recovery"       // the partial answer is kept and continued (D5)
	TransportRetry          Transition = "transport_retry"           // the same request again, after a wait (D7)
	ModelFallback           Transition = "model_fallback"            // the same request to another model (D8)
	EmptyRetry              Transition = "empty_retry"               // the same request with a hint (D9)
	ProtocolRetry           Transition = "protocol_retry"            // the same request again (A2)
	PauseContinue           Transition = "pause_continue"            // the paused answer sent back unchanged (anthropics/anthropic-sdk-python#1170)
	StopHookBlocking        Transition = "stop_hook_blocking"        // a stop hook sent the answer back (D10)
	GateFeedback            Transition = "gate_feedback"             // the completion gate or the goal judge did (G1, G5)
	TokenBudgetContinuation Transition = "token_budget_continuation" // tokens are left to be used (D11)
)

// Counters are the ladder's counters. Retries counts for one request. The
// others of the first group refill at next_turn and with a new prompt, and
// nowhere else (a counter reset by a hook once made an endless loop, D2); those
// of the second only with a new prompt.
type Counters struct {
	Retries       int
	Overloads     int // in a row
	Drains        int
	Summaries     int
	Lowers        int
	Escalations   int
	Continuations int
	Empty         int
	Protocol      int
	Pauses        int

	HookBlocks  int
	GateBlocks  int
	JudgeBlocks int
	Nudges      int
	Fallbacks   int
}

// refilled are the counters behind a next_turn.
func (c Counters) refilled() Counters {
	return Counters{
		HookBlocks: c.HookBlocks, GateBlocks: c.GateBlocks, JudgeBlocks: c.JudgeBlocks, Nudges: c.Nudges, Fallbacks: c.Fallbacks,
	}
}

// list are the counters under the names that records use.
func (c *Counters) list() [15]struct {
	name string
	n    int
} {
	return [15]struct {
		name string
		n    int
	}{
		{"retries", c.Retries}, {"overloads", c.Overloads}, {"drains", c.Drains}, {"summaries", c.Summaries}, {"lowers", c.Lowers},
		{"escalations", c.Escalations}, {"continuations", c.Continuations}, {"empty", c.Empty}, {"protocol", c.Protocol}, {"pauses", c.Pauses},
		{"hook_blocks", c.HookBlocks}, {"gate_blocks", c.GateBlocks}, {"judge_blocks", c.JudgeBlocks}, {"nudges", c.Nudges}, {"fallbacks", c.Fallbacks},
	}
}

func (c Counters) record() map[string]int {
	var m map[string]int
	for _, e := range c.list() {
		if e.n != 0 {
			if m == nil {
				m = map[string]int{}
			}
			m[e.name] = e.n
		}
	}
	return m
}
