package main

import (
	"context"
	"strings"

	"github.com/harnessbench/bench/harness/tools"
)

// silenced keeps the API key out of what tools return: a command or a file may
// show it, and a result is recorded and sent (C15). Only the key as it stands is
// found; a tool that encodes it shows it all the same.
func silenced(ts []tools.Tool, key string) []tools.Tool {
	if key == "" {
		return ts
	}
	hide := strings.NewReplacer(key, "[API key removed]")
	for i := range ts {
		run := ts[i].Run
		ts[i].Run = func(ctx context.Context, c tools.Call) (tools.Output, error) {
			out, err := run(ctx, c)
			out.Text, out.Tail = hide.Replace(out.Text), hide.Replace(out.Tail)
			return out, err
		}
	}
	return ts
}
