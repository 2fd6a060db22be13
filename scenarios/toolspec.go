package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/internal/near"
)

// toolSpec is one `tool` line.
type toolSpec struct {
	name          string
	builtin       bool // tools of the loop itself, as they are
	readOnly      bool
	idempotent    bool
	deaf          bool
	shell         bool
	background    bool
	stopsSiblings bool
	deferred      bool
	behaviours    []behaviour
}

// behaviour is one thing that a declared tool does, always or for one call.
type behaviour struct {
	call  callRef // id "" : every call
	what  string
	text  string        // fails, then-fails, text
	takes time.Duration // takes
	size  int           // big, image
}

// behaviours is the closed list.
var behaviours = []struct {
	name  string
	value string // what its value is called, "" for none
	built bool
	tool  bool // of the whole tool: no ID before it
}{
	{"takes", "D", true, false},
	{"hangs", "", true, false},
	{"deaf", "", true, true},
	{"panics", "", true, false},
	{"fails", "T", true, false},
	{"then-fails", "T", true, false},
	{"text", "T", true, false},
	{"polls", "", true, false},
	{"big", "SIZE", true, false},
	{"image", "SIZE", true, false},
	{"idempotent", "", true, true},
	{"shell", "", true, true},
	{"background", "", true, true},
	{"stops-siblings", "", true, true},
	{"deferred", "", true, true},
	{"checks", "", false, true},
}

func behaviourNames() []string {
	var names []string
	for _, b := range behaviours {
		names = append(names, b.name)
	}
	return names
}

// scenarioTools are there without being declared.
var scenarioTools = []string{"append", "counter"}

// builtins are the loop's own tools, declared by name alone: what is advertised
// is part of every request, so none is there by itself.
var builtins = []struct {
	name  string
	tools func() []tools.Tool
}{
	{"todo", func() []tools.Tool { return []tools.Tool{tools.Todo()} }},
	{"tasks", tools.Tasks},
	{"compact", func() []tools.Tool { return []tools.Tool{tools.CompactTool()} }},
}

func builtinNames() []string {
	var names []string
	for _, b := range builtins {
		names = append(names, b.name)
	}
	return names
}

// own returns the loop's own tools that a builtin line stands for.
func (t *toolSpec) own() []tools.Tool {
	for _, b := range builtins {
		if t.builtin && b.name == t.name {
			return b.tools()
		}
	}
	return nil
}

// names are the names under which a model calls the tools of a line.
func (t *toolSpec) names() []string {
	if !t.builtin {
		return []string{t.name}
	}
	var names []string
	for _, o := range t.own() {
		names = append(names, o.Name)
	}
	return names
}

// toolNames lists all tools that a session with such lines offers.
func toolNames(specs []toolSpec) []string {
	names := slices.Clone(scenarioTools)
	search := false
	for i := range specs {
		names = append(names, specs[i].names()...)
		search = search || specs[i].deferred
	}
	if search {
		names = append(names, tools.SearchTool)
	}
	return names
}

// reserved says whose a tool name is that no declared tool may have, or "".
func reserved(name string) string {
	switch name {
	case tools.SearchTool, "read_result":
		return "is a tool of the loop itself, there when it is needed: give the declared one another name"
	}
	if slices.Contains(scenarioTools, name) {
		return "is a scenario tool already: give the declared one another name"
	}
	for _, b := range builtins {
		t := toolSpec{name: b.name, builtin: true}
		if name == b.name || slices.Contains(t.names(), name) {
			return "is a tool of the loop itself: write tool " + b.name + " to offer it, or give the declared one another name"
		}
	}
	return ""
}

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// parseTool reads NAME read|write [ID:]BEHAVIOUR..., or the name of one of the
// loop's own tools.
func parseTool(args []string) (toolSpec, error) {
	t := toolSpec{name: args[0]}
	if len(args) == 1 && slices.Contains(builtinNames(), t.name) {
		t.builtin = true
		return t, nil
	}
	if !toolName.MatchString(t.name) {
		return t, fmt.Errorf("%q is not a tool name: the API takes letters, digits, _ and -, at most 64", t.name)
	}
	if why := reserved(t.name); why != "" {
		return t, fmt.Errorf("%s %s", t.name, why)
	}
	if len(args) == 1 {
		s := "tool needs a name and read or write: tool NAME read|write [ID:]BEHAVIOUR"
		if n := near.Word(t.name, builtinNames()); n != "" {
			s += fmt.Sprintf(" (or did you mean tool %s, which the loop has itself?)", n)
		}
		return t, fmt.Errorf("%s", s)
	}
	switch args[1] {
	case "read":
		t.readOnly = true
	case "write":
	default:
		return t, fmt.Errorf("a tool is read (no effects) or write, not %q", args[1])
	}
	for _, w := range args[2:] {
		b, err := parseBehaviour(w)
		if err != nil {
			return t, err
		}
		if flag := t.flag(b.what); flag != nil {
			*flag = true
		} else {
			t.behaviours = append(t.behaviours, b)
		}
	}
	switch {
	case t.readOnly && t.idempotent:
		return t, fmt.Errorf("a read tool has no effects, so idempotent says nothing about it: drop it, or declare the tool write")
	case t.readOnly && t.shell:
		return t, fmt.Errorf("a shell tool may change anything: declare it write")
	}
	return t, nil
}

// flag is where a property of the whole tool is kept; nil for what is none.
func (t *toolSpec) flag(what string) *bool {
	switch what {
	case "deaf":
		return &t.deaf
	case "idempotent":
		return &t.idempotent
	case "shell":
		return &t.shell
	case "background":
		return &t.background
	case "stops-siblings":
		return &t.stopsSiblings
	case "deferred":
		return &t.deferred
	}
	return nil
}

func parseBehaviour(w string) (behaviour, error) {
	var b behaviour
	if id, rest, ok := strings.Cut(w, ":"); ok && !strings.Contains(id, "=") && !slices.Contains(behaviourNames(), id) {
		ref, err := parseCallRef(id)
		if err != nil {
			return b, err
		}
		b.call, w = ref, rest
	}
	name, value, hasValue := strings.Cut(w, "=")
	b.what = name
	i := slices.Index(behaviourNames(), name)
	if i < 0 {
		return b, fmt.Errorf("%s", near.Unknown("behaviour", name, behaviourNames()))
	}
	known := behaviours[i]
	switch {
	case !known.built:
		return b, fmt.Errorf("tool behaviour %s is not built yet", name)
	case known.tool && b.call.id != "":
		return b, fmt.Errorf("%s is a property of the whole tool: drop %q before it", name, b.call.String()+":")
	case known.value == "" && hasValue:
		return b, fmt.Errorf("%s takes no value: write %s", name, name)
	case known.value != "" && (!hasValue || value == ""):
		return b, fmt.Errorf("%s needs a value: %s=%s", name, name, known.value)
	}
	var err error
	switch known.value {
	case "D":
		b.takes, err = parseDuration(value)
	case "T":
		b.text = value
	case "SIZE":
		b.size, err = parseSize(value)
	}
	if err == nil && name == "image" && (b.size < smallestImage || b.size%4 != 0) {
		err = fmt.Errorf("image=%s: the base64 of an image has a multiple of 4 bytes, from %d on", value, smallestImage)
	}
	return b, err
}

// of returns the behaviours that hold for the n-th call with the script id.
func (t *toolSpec) of(id string, n int) []behaviour {
	var bs []behaviour
	for _, b := range t.behaviours {
		if b.call.id == "" || b.call.matches(id, n) {
			bs = append(bs, b)
		}
	}
	return bs
}
