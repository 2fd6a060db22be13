package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/harnessbench/bench/harness/tools"
)

func TestPolicyDecide(t *testing.T) {
	holds := func(s string) func(tools.Call) bool {
		return func(c tools.Call) bool { return strings.Contains(string(c.Input), s) }
	}
	breaks := func(tools.Call) bool { panic("boom") }
	p := &tools.Policy{Rules: []tools.Rule{
		{Name: "read", Tool: "read_file", Action: tools.Allow},
		{Name: "safe", Tool: "bash", Match: holds("ls"), Action: tools.Allow},
		{Name: "odd", Tool: "bash", Match: holds("odd"), Action: tools.Deny},
		{Name: "ask", Tool: "bash", Action: tools.AskFirst},
		{Name: "broken", Tool: "glob", Match: breaks, Action: tools.Allow},
		{Name: "hard", Tool: "*", Match: holds("rm"), Action: tools.Deny, Hard: true}, // last, and first all the same
	}}
	for _, c := range []struct {
		tool, input string
		action      tools.Action
		rule, text  string
	}{
		{"read_file", "x", tools.Allow, "read", ""},
		{"bash", "ls", tools.Allow, "safe", ""},
		{"bash", "ls odd", tools.Allow, "safe", ""}, // the first match decides
		{"bash", "odd", tools.Deny, "odd", "bash was not run: it is not permitted (odd). Do it another way."},
		{"bash", "make", tools.AskFirst, "ask", "bash needs an approval (ask)."},
		{"bash", "ls; rm", tools.Deny, "hard", "bash was not run: it is forbidden (hard), and no approval changes that. Do it another way."},
		{"read_file", "rm", tools.Deny, "hard", "read_file was not run: it is forbidden (hard), and no approval changes that. Do it another way."},
		{"glob", "x", tools.Deny, "broken", "glob was not run: whether it is permitted could not be decided (broken broke down). Do it another way."},
		{"write_file", "x", tools.Deny, tools.DefaultDeny, "write_file was not run: no rule permits this call. Do it another way, or say what you would need."},
	} {
		got := p.Decide(tools.Call{Name: c.tool, Input: []byte(c.input)})
		if want := (tools.Decision{Action: c.action, Rule: c.rule, Text: c.text}); got != want {
			t.Errorf("%s %s:\ngot  %+v\nwant %+v", c.tool, c.input, got, want)
		}
	}
	if d := (*tools.Policy)(nil).Decide(tools.Call{Name: "bash"}); d.Action != tools.Deny || d.Rule != tools.DefaultDeny {
		t.Errorf("no policy: %+v", d)
	}
	hardBroken := &tools.Policy{Rules: []tools.Rule{{Name: "all", Tool: "*", Action: tools.Allow}, {Name: "h", Tool: "*", Match: breaks, Action: tools.Deny, Hard: true}}}
	if d := hardBroken.Decide(tools.Call{Name: "bash"}); d.Action != tools.Deny || d.Rule != "h" {
		t.Errorf("a hard rule that breaks down: %+v", d)
	}
}

// No approval gets past a hard rule, and nothing but an approval permits.
func TestPolicySettle(t *testing.T) {
	armed := false // what the rule looks at changes while the approver thinks
	p := &tools.Policy{Rules: []tools.Rule{
		{Name: "ask", Tool: "bash", Action: tools.AskFirst},
		{Name: "hard", Tool: "bash", Match: func(tools.Call) bool { return armed }, Action: tools.Deny, Hard: true},
	}}
	c := tools.Call{Name: "bash"}
	if d := p.Decide(c); d.Action != tools.AskFirst {
		t.Fatalf("%+v", d)
	}
	for _, x := range []struct {
		armed  bool
		code   string
		action tools.Action
		rule   string
	}{
		{false, tools.Approved, tools.Allow, "ask"},
		{false, tools.Rejected, tools.Deny, "ask"},
		{false, tools.Cancelled, tools.Deny, "ask"},
		{false, "", tools.Deny, "ask"},
		{true, tools.Approved, tools.Deny, "hard"},
	} {
		armed = x.armed
		d := p.Settle(c, "ask", tools.Answer{Code: x.code, Text: "said"})
		if d.Action != x.action || d.Rule != x.rule || (d.Text == "") != (x.action == tools.Allow) {
			t.Errorf("%+v: %+v", x, d)
		}
	}
}

func TestPolicyCheck(t *testing.T) {
	p := &tools.Policy{Rules: []tools.Rule{
		{Name: "a", Tool: "bash", Action: tools.Allow},
		{Name: "b", Tool: "bsah", Action: tools.AskFirst},
		{Name: "", Tool: "*", Action: tools.Deny},
		{Name: "a", Tool: "", Action: "permit"},
		{Name: "c", Tool: "*", Action: tools.AskFirst, Hard: true},
		{Name: "d", Tool: "*", Action: tools.Deny, Hard: true},
	}}
	var got []string
	for _, err := range p.Check([]string{"bash", "read_file"}) {
		got = append(got, err.Error())
	}
	want := []string{
		`rule 2 (b) is for a tool that does not exist, "bsah": use a tool's name, or "*" for all (did you mean bash?)`,
		"rule 3 has no name: records name the rule that decided",
		"rule 4 (a) has the name of another rule: give one of them another name",
		`rule 4 (a) is for a tool that does not exist, "": use a tool's name, or "*" for all`,
		`rule 4 (a) has the action "permit": use allow, ask or deny`,
		"rule 5 (c) is hard and its action is ask: only a denial is final",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if errs := (*tools.Policy)(nil).Check(nil); errs != nil {
		t.Error(errs)
	}
	if errs := tools.WorkspacePolicy().Check([]string{"bash"}); errs != nil {
		t.Error(errs)
	}
}

// Whatever the rules: a matching hard one denies, else the first matching one
// decides, else nothing runs.
func TestPolicyProperty(t *testing.T) {
	names := []string{"a", "b", "*"}
	rapid.Check(t, func(t *rapid.T) {
		p := &tools.Policy{}
		c := tools.Call{Name: rapid.SampledFrom(names[:2]).Draw(t, "call")}
		want, hard := tools.Decision{Action: tools.Deny, Rule: tools.DefaultDeny}, false
		found := false
		for i := range rapid.IntRange(0, 8).Draw(t, "rules") {
			r := tools.Rule{Name: string(rune('A' + i)), Tool: rapid.SampledFrom(names).Draw(t, "tool"), Action: rapid.SampledFrom([]tools.Action{tools.Allow, tools.AskFirst, tools.Deny}).Draw(t, "action")}
			r.Hard = r.Action == tools.Deny && rapid.Bool().Draw(t, "hard")
			ok := rapid.Bool().Draw(t, "matches")
			if ok && rapid.Bool().Draw(t, "no match function") {
				r.Match = nil
			} else {
				r.Match = func(tools.Call) bool { return ok }
			}
			p.Rules = append(p.Rules, r)
			if !ok || r.Tool != "*" && r.Tool != c.Name {
				continue
			}
			if r.Hard && !hard {
				want, hard, found = tools.Decision{Action: tools.Deny, Rule: r.Name}, true, true
			} else if !found {
				want, found = tools.Decision{Action: r.Action, Rule: r.Name}, true
			}
		}
		got := p.Decide(c)
		if got.Action != want.Action || got.Rule != want.Rule {
			t.Fatalf("got %+v, want %+v, of %+v", got, want, p.Rules)
		}
		if d := p.Settle(c, "x", tools.Answer{Code: tools.Approved}); (d.Action == tools.Deny) != hard {
			t.Fatalf("approved: %+v, hard %v", d, hard)
		}
	})
}

func bashCall(command string) tools.Call {
	input, _ := json.Marshal(map[string]string{"command": command})
	return tools.Call{Name: "bash", Input: input}
}

func TestWorkspacePolicy(t *testing.T) {
	p := tools.WorkspacePolicy()
	for name, want := range map[string]string{
		"read_file": "allow path.read_allow", "glob": "allow path.read_allow", "grep": "allow path.read_allow",
		"write_file": "allow path.write_allow", "edit_file": "allow path.write_allow",
		"read_result": "allow session.allow", "tool_search": "allow session.allow", "compact": "allow session.allow", "todo": "allow session.allow",
		"bash": "ask bash.requires_approval", "mystery": "deny default.deny",
	} {
		d := p.Decide(tools.Call{Name: name, Input: []byte(`{"command":"ls"}`)})
		if got := string(d.Action) + " " + d.Rule; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for _, input := range []string{``, `{`, `{"command":7}`, `[]`, `{"command":"rm -rf /"`} {
		if d := p.Decide(tools.Call{Name: "bash", Input: []byte(input)}); d.Action == tools.Allow {
			t.Errorf("bash %s: %+v", input, d)
		}
	}
	if d := p.Decide(bashCall("rm -rf /")); d.Rule != "bash.hard_deny" {
		t.Errorf("%+v", d)
	}
	if d := p.Settle(bashCall("rm -rf /"), "bash.requires_approval", tools.Answer{Code: tools.Approved}); d.Action != tools.Deny {
		t.Errorf("approved all the same: %+v", d)
	}
}

// No command of bash is ever allowed without being asked about.
func TestWorkspacePolicyNeverAllowsACommand(t *testing.T) {
	p := tools.WorkspacePolicy()
	parts := rapid.SampledFrom([]string{"rm", " ", "-rf", "/", "'", `"`, "`", "$(", ")", "(", ";", "&&", "|", "\\", "\n", "env", "sh", "-c", "eval", "~", "$HOME", "x", ">", "/dev/sda", "<<E", "#", "é", "\x00"})
	rapid.Check(t, func(t *rapid.T) {
		command := strings.Join(rapid.SliceOf(parts).Draw(t, "parts"), "")
		if d := p.Decide(bashCall(command)); d.Action == tools.Allow {
			t.Fatalf("%q: %+v", command, d)
		}
	})
}
