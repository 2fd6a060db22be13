package tools

import (
	"context"

	"github.com/harnessbench/bench/harness/compact"
)

// CompactTool is a tool by which the model asks for the conversation to be
// compacted. It does nothing itself: the loop compacts before the next request,
// because it must not change the history while calls of the turn are open.
func CompactTool() Tool {
	return Tool{
		Name: compact.AskTool,
		Description: "Compacts the conversation: what was said and done so far is replaced by a summary, and the last steps are kept. " +
			"Use it when one piece of work is finished and its details are needed no more.",
		Schema:     `{"type":"object","additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Compacts:   true,
		Run: func(context.Context, Call) (Output, error) {
			return Output{Text: "The conversation is compacted before the next request."}, nil
		},
	}
}
