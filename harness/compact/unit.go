package compact

// Kind is what a unit is.
type Kind string

// The kinds of units; Summary is the fourth.
const (
	Prompt Kind = "prompt" // what the user said
	Note   Kind = "note"   // what the loop said in the user's place: feedback, notifications, a snip's marker
	Step   Kind = "step"   // an answer with its calls and all their results; the parts of a continued or paused answer are one
)

// Summary is the kind of unit that stands for a summarised range, and the
// stage that makes it. It has no type, so that it is both a Kind and a Stage.
const Summary = "summary"

// Unit is a part of a conversation that is kept or left out whole. Units are
// in order and their ranges do not overlap.
type Unit struct {
	Kind     Kind
	From, To int64 // the numbers of its records, [From, To)
	Bytes    int   // of all its text, its results' included; the data of images is not counted
	Images   int   // its results' included
	Results  []Result

	// What Apply fills in where a range was hidden:
	Steps int    // how many steps the unit stands for; a Note with some is a snip's marker
	Kept  []Unit // the prompts of the range that survive behind its text; Bytes and Images count them
}

// Result is what a call of a step returned.
type Result struct {
	Call, Tool    string // our id of the call; the tool's name as the model gave it
	Bytes, Images int
	Read          bool // an answer came behind it
	Short         bool // it is a preview or a stub already
	Bare          bool // its images were taken out already
}

// messages is how many messages the unit counts as: the answer and its results
// are two.
func (u *Unit) messages() int {
	if u.Kind == Step {
		return 2
	}
	return 1
}

func (u *Unit) steps() int {
	if u.Kind == Step {
		return 1
	}
	return u.Steps
}

func (u *Unit) marker() bool { return u.Kind == Note && u.Steps > 0 }

// unread reports whether the model has yet to see one of the unit's results.
func (u *Unit) unread() bool {
	for i := range u.Results {
		if !u.Results[i].Read {
			return true
		}
	}
	return false
}

// AskTool is the tool by which a model asks for a summary.
const AskTool = "compact"

// asking reports whether the unit is nothing but the model asking for a summary.
func (u *Unit) asking() bool {
	for i := range u.Results {
		if u.Results[i].Tool != AskTool {
			return false
		}
	}
	return len(u.Results) > 0
}

// prompts calls f with the prompts of units, those that survive in a hidden
// range included, in order.
func prompts(units []Unit, f func(*Unit)) {
	for i := range units {
		if units[i].Kind == Prompt {
			f(&units[i])
		}
		for k := range units[i].Kept {
			f(&units[i].Kept[k])
		}
	}
}

// Size is how much something weighs in a request.
type Size struct{ Bytes, Images int }

// Tokens is the estimate where nothing was measured: four bytes a token (E4),
// 1,600 an image whatever its data weighs (earendil-works/pi#4642), rounded up.
func (s Size) Tokens() int { return (s.Bytes+3)/4 + s.Images*1600 }

func (s Size) plus(bytes, images int) Size { return Size{s.Bytes + bytes, s.Images + images} }

// Sum is the size of all units.
func Sum(units []Unit) Size {
	var s Size
	for i := range units {
		s = s.plus(units[i].Bytes, units[i].Images)
	}
	return s
}
