package tools

import "slices"

// WorkspacePolicy is a policy for the built-in tools: what stays in the
// workspace is allowed (the tools themselves let nothing out of it), every
// command of bash is asked about, and what is catastrophic is denied, whoever
// approves it. A command that cannot be read is asked about like any other.
// Tools that it does not know are denied: rules for them go in front.
func WorkspacePolicy() *Policy {
	return &Policy{Rules: []Rule{
		{Name: "bash.hard_deny", Tool: "*", Match: catastrophicCall, Action: Deny, Hard: true},
		{Name: "path.read_allow", Tool: "*", Match: named("glob", "grep", "read_file"), Action: Allow},
		{Name: "path.write_allow", Tool: "*", Match: named("edit_file", "write_file"), Action: Allow},
		{Name: "session.allow", Tool: "*", Action: Allow, Match: named("compact", "read_result", SearchTool, "todo",
			"task_claim", "task_complete", "task_create", "task_depend", "task_get", "task_list")},
		{Name: "bash.requires_approval", Tool: "*", Match: named("bash"), Action: AskFirst},
	}}
}

// named matches the calls of some tools. A rule for "*" with it holds for
// whichever of them there are, where a rule for one tool demands that it is.
func named(names ...string) func(Call) bool {
	return func(c Call) bool { return slices.Contains(names, c.Name) }
}

func catastrophicCall(c Call) bool {
	if c.Name != "bash" {
		return false
	}
	in, err := decode[struct{ Command string }](c)
	return err == nil && catastrophic(in.Command)
}
