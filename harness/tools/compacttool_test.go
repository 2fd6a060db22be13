package tools_test

import (
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/tools"
)

func TestCompactTool(t *testing.T) {
	tool := tools.CompactTool()
	r := registry(t, tool)
	if !tool.Compacts || !tool.ReadOnly || tool.Deferred || tool.Name != "compact" {
		t.Errorf("%+v", tool)
	}
	if no := r.Validate("compact", []byte("{}")); no != nil {
		t.Error(no)
	}
	if no := r.Validate("compact", []byte(`{"x":1}`)); no == nil {
		t.Error("it takes what it does not use")
	}
	o := tools.Execute(t.Context(), env.Env{Clock: env.RealClock(), Probe: env.NoProbe{}}, &tool, tools.Call{ID: "c1", Name: "compact", Input: []byte("{}")}, tools.Options{})
	if o.IsError || o.Text != "The conversation is compacted before the next request." {
		t.Errorf("%+v", o)
	}
}
