package harness

import "github.com/harnessbench/bench/harness/tools"

// Codes under which a call is answered instead of run, beside those of package tools.
const (
	refusedCut       = "cut"
	refusedDuplicate = "duplicate_id"
	refusedAnswer    = "refusal"
	refusedLoop      = "loop"
	refusedBudget    = "token_budget"
)

// RefusalInfo describes a code under which a call is answered and not run.
type RefusalInfo struct {
	Code    string
	Summary string
	Source  string // mechanism; "" for none
}

// Refusals returns all of them, in the order in which a call meets them.
func Refusals() []RefusalInfo {
	return []RefusalInfo{
		{refusedCut, "the answer broke off in the call's input", "D6"},
		{tools.CodeUnknownTool, "there is no tool of that name", "C3"},
		{tools.CodeInvalid, "the input is not one JSON object that fits the tool's schema", "C2"},
		{refusedDuplicate, "another call of the answer has the same id and another input", "C8"},
		{refusedAnswer, "the answer that made the call is a refusal", ""},
		{tools.CodePermission, "the policy, or whoever it asks, denies it", "C9"},
		{tools.CodeCircuit, "the tool failed too often in a row", "C10"},
		{tools.CodeDeferred, "the tool is there and was not revealed to the model", "C12"},
		{refusedLoop, "the same calls came again with nothing changed", "N1"},
		{refusedBudget, "the run has used its tokens", "O1"},
	}
}

func refusedText(code string) string {
	if code == refusedLoop {
		return "This call was not run: the same calls were made before, more than once, and nothing changed. The run ends here."
	}
	if code == refusedBudget {
		return "This call was not run: the run has used its budget of tokens."
	}
	return "This call was not run (" + code + ")."
}
