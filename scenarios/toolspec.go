package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// toolSpec is one `tool` line.
type toolSpec struct {
	name       string
	readOnly   bool
	idempotent bool
	deaf       bool
	behaviours []behaviour
}

// behaviour is one thing that a declared tool does, always or for one call.
type behaviour struct {
	call  callRef // id "" : every call
	what  string
	text  string        // fails, then-fails
	takes time.Duration // takes
	size  int           // big
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
	{"image", "SIZE", false, false},
	{"big", "SIZE", true, false},
	{"idempotent", "", true, true},
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

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// parseTool reads NAME read|write [ID:]BEHAVIOUR...
func parseTool(args []string) (toolSpec, error) {
	var t toolSpec
	if len(args) < 2 {
		return t, fmt.Errorf("tool needs a name and read or write: tool NAME read|write [ID:]BEHAVIOUR")
	}
	t.name = args[0]
	if !toolName.MatchString(t.name) {
		return t, fmt.Errorf("%q is not a tool name: the API takes letters, digits, _ and -, at most 64", t.name)
	}
	if slices.Contains(scenarioTools, t.name) {
		return t, fmt.Errorf("%s is a scenario tool already: give the declared one another name", t.name)
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
		switch b.what {
		case "deaf":
			t.deaf = true
		case "idempotent":
			t.idempotent = true
		default:
			t.behaviours = append(t.behaviours, b)
		}
	}
	if t.readOnly && t.idempotent {
		return t, fmt.Errorf("a read tool has no effects, so idempotent says nothing about it: drop it, or declare the tool write")
	}
	return t, nil
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
		return b, fmt.Errorf("%s", unknown("behaviour", name, behaviourNames()))
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
