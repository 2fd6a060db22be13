package scenarios

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/internal/near"
	"github.com/harnessbench/bench/providers/fake"
)

// parseScript parses an archive file as the reply script of the variant being
// walked, and brings its errors to the lines of the scenario file.
func (c *checker) parseScript(a *archived) (*fake.Script, Problems) {
	script, err := fake.Parse(c.src.path, a.data, fake.ParseOptions{
		Vars:      c.scriptVars(),
		FirstLine: a.first(),
		Protocol:  c.decl.wires()[0], // what frames, raw bytes and wire paths are written for
		Guard: func(name string) (bool, error) {
			if why := c.checkGuard(name); why != "" {
				return false, errors.New(why)
			}
			c.plan.apart = c.plan.apart || c.parts(name)
			holds, known := c.v.guardHolds(name)
			if !known {
				return false, fmt.Errorf("[%s] cannot guard a line of a reply script: use a case", name)
			}
			return holds, nil
		},
		ReadFile: func(name string) ([]byte, error) {
			if f := c.src.file(name); f != nil {
				return f.data, nil
			}
			return nil, errors.New(near.Unknown("archive file", name, c.src.fileNames()))
		},
	})
	if err == nil {
		return script, nil
	}
	var all fake.Errors
	if !errors.As(err, &all) {
		return nil, Problems{{c.src.path, a.marker, err.Error()}}
	}
	var ps Problems
	for _, e := range all {
		ps = append(ps, Problem{c.src.path, e.Line, e.Text})
	}
	return nil, ps
}

// hostVars are set by testscript and the bench; they say nothing to a reply.
var hostVars = []string{"WORK", "EVIDENCE", "TMPDIR", "PATH", "HOME", "GOTRACEBACK", "devnull", "exe", "/", ":", "$"}

// scriptVars are the variables that a reply script may use: those of the
// variant, and those that env has set so far.
func (c *checker) scriptVars() map[string]string {
	vars := map[string]string{}
	for k, v := range c.vars {
		if !slices.Contains(hostVars, k) {
			vars[k] = v
		}
	}
	return vars
}

// scanScript notes which calls and gates a script can bring, for the lines
// that name one, and what it is made of, for the signature.
func (c *checker) scanScript(s *fake.Script) {
	t := &c.plan.traits
	t.gates = append(t.gates, s.Gates()...)
	names := toolNames(c.stage.tools)
	for _, r := range s.Replies {
		if r.Status != 0 {
			t.script = append(t.script, fmt.Sprintf("reply:%d", r.Status))
		}
		ids := map[string]bool{}
		for _, l := range r.Lines {
			if l.Op == fake.OpExpect {
				continue // what is expected is no part of what happens
			}
			op := string(l.Op)
			if l.Op == fake.OpStop && len(l.Values) > 0 {
				op += ":" + l.Values[0]
			}
			t.script = append(t.script, op)
			if l.Op != fake.OpCall && l.Op != fake.OpCutCall {
				continue
			}
			if strings.Contains(l.ID, "${") {
				c.openIDs = true
			}
			c.callIDs = append(c.callIDs, l.ID)
			switch {
			case ids[l.ID]:
				t.script = append(t.script, "same-id")
			case len(ids) > 0:
				t.script = append(t.script, "batch")
			}
			ids[l.ID] = true
			if l.JSON == "" {
				t.script = append(t.script, "call-bytes")
			}
			if !slices.Contains(names, l.Name) {
				t.script = append(t.script, "unknown-tool")
			}
		}
	}
}
