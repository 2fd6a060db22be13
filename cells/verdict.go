package cells

import (
	"slices"
	"strings"
)

// Row is one rule of the table: for the cells that it is the first to fit, what
// a loop must do and report, and where that is decided.
type Row struct {
	Name string
	When When
	Did  Did
	Said Said
	From string // the design's decision, and public reports
}

// When is what a row asks of a cell: of each axis one of these values, divided
// by blanks; "" is any.
type When struct{ Stop, Content, Last, Terminal, Order, Rungs string }

// Did is what the loop did with the answer.
type Did struct {
	Ran  string // which of the answer's calls had their effect: noCall, everyCall, butTheLast
	Then string // the transition that followed; "" when the run ended there
}

// Said is what the loop reported.
type Said struct {
	End    string // the run's terminal; behind a transition a good answer came
	Answer string // kept or discarded
	Text   string // the run's text: own, after, both (one answer in two parts), none
	Calls  string // their states on record: unrecorded, done, the last cut or invalid, all refused
}

// The words of the verdicts.
const (
	noCall     = "none"
	everyCall  = "all"
	butTheLast = "all but the last"

	kept      = "kept"
	discarded = "discarded"

	own   = "own"   // what the answer under test said, if anything
	after = "after" // the good answer behind it
	both  = "both"  // the two as one
	none  = "none"

	unrecorded  = "unrecorded"
	done        = "done"
	lastCut     = "last refused as cut"
	lastInvalid = "last refused as invalid"
	refused     = "all refused"
)

func (w When) fits(c Cell) bool {
	for _, f := range [][2]string{
		{w.Stop, c.Stop}, {w.Content, c.Content}, {w.Last, c.Last}, {w.Terminal, c.Terminal}, {w.Order, c.Order}, {w.Rungs, c.Rungs},
	} {
		if f[0] != "" && !slices.Contains(strings.Fields(f[0]), f[1]) {
			return false
		}
	}
	return true
}

// String is AXIS=VALUE,... for each axis that the row asks for.
func (w When) String() string {
	var out []string
	for _, f := range [][2]string{
		{"stop", w.Stop}, {"content", w.Content}, {"last", w.Last}, {"terminal", w.Terminal}, {"order", w.Order}, {"rungs", w.Rungs},
	} {
		if f[1] != "" {
			out = append(out, f[0]+"="+strings.Join(strings.Fields(f[1]), ","))
		}
	}
	if len(out) == 0 {
		return "whatever is left"
	}
	return strings.Join(out, " ")
}

// Expect returns the row that decides the cell: the first that fits. Every cell
// has one.
func (c Cell) Expect() Row { return c.expect(Table()) }

func (c Cell) expect(table []Row) Row {
	for _, r := range table {
		if r.When.fits(c) {
			return r
		}
	}
	panic("no row decides cell " + c.Name())
}

// Verdicts are both verdicts of a row on one line.
func (r Row) Verdicts() string { return "did: " + r.Did.String() + "; said: " + r.Said.String() }

func (d Did) String() string {
	if d.Then == "" {
		return "ran " + d.Ran + ", ended"
	}
	return "ran " + d.Ran + ", " + d.Then
}

func (s Said) String() string {
	return s.End + ", answer " + s.Answer + ", text " + s.Text + ", calls " + s.Calls
}

// assertions are the verdicts in the words of a scenario.
func (r Row) assertions(c Cell) []string {
	var out []string
	add := func(parts ...string) { out = append(out, strings.Join(parts, "")) }
	calls := c.calls()

	ran := calls
	switch r.Did.Ran {
	case noCall:
		ran = nil
	case butTheLast:
		ran = calls[:max(0, len(calls)-1)]
	}
	add("events effects ", list(ran, "note:", "none"))
	if r.Did.Then != "" {
		add("transitions ", r.Did.Then)
		add("requests 2")
	} else {
		add("transitions none")
		add("requests 1")
	}

	add("terminal ", r.Said.End)
	if r.Said.Answer == kept {
		add("events transcript ... assistant:a1 ...")
	} else {
		add("events transcript ... discarded:a1 ...")
	}
	said := map[string]string{own: c.text(), after: afterText, both: c.text() + afterText}[r.Said.Text]
	if said == "" {
		add("! stdout .")
	} else {
		add("stdout '^", strings.ReplaceAll(said, ".", `\.`), "$'")
	}
	return append(out, r.callStates(calls)...)
}

// callStates are the assertions about the calls on record.
func (r Row) callStates(calls []string) []string {
	if r.Said.Calls == unrecorded || len(calls) == 0 {
		return []string{"! events transcript ... call ..."}
	}
	code := map[string]string{lastCut: "cut", lastInvalid: "invalid_arguments", refused: "refusal"}[r.Said.Calls]
	var states, out []string
	for i, id := range calls {
		if code != "" && (i == len(calls)-1 || r.Said.Calls == refused) {
			states = append(states, id+"=refused")
			out = append(out, `events transcript ... call:`+id+`~'"refused":"`+code+`"' ...`)
		} else {
			states = append(states, id+"=done")
		}
	}
	return append([]string{"calls " + strings.Join(states, " ")}, out...)
}

// text is what the answer says.
func (c Cell) text() string {
	if c.Content == text || c.Content == serverText || c.Content == textCall {
		return ownText
	}
	return ""
}

func list(words []string, before, none string) string {
	if len(words) == 0 {
		return none
	}
	return before + strings.Join(words, " "+before)
}
