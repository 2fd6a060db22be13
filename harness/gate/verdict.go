package gate

import (
	"fmt"
	"strings"
)

// Kind is something that a user asks to be checked.
type Kind string

// The kinds, in the order in which they are named anywhere.
const (
	Tests     Kind = "tests"
	Lint      Kind = "lint"
	Typecheck Kind = "typecheck"
	Build     Kind = "build"
)

var allKinds = [...]Kind{Tests, Lint, Typecheck, Build}

// list is a set in the order of allKinds.
func (k kinds) list() (l []Kind) {
	for i, kind := range allKinds {
		if k&(1<<i) != 0 {
			l = append(l, kind)
		}
	}
	return l
}

// Requirement is a check that the user asked for.
type Requirement struct {
	Kind Kind
	// Optional: if possible. Without evidence the answer is then unverified;
	// with evidence that shows nothing it is sent back all the same (G2).
	Optional bool
	Quote    string // the user's sentence
}

// Step is a call that ran, or may have run: one that was refused, or never
// started, is none.
type Step struct {
	Turn, Call int
	Tool       string
	Shell      bool   // it ran Command in a shell
	Command    string // of a shell
	// Changes: the tool is no shell, and may change something a check looks at.
	// A tool that only keeps the session's own lists (todo) does not.
	Changes bool
	OK      bool // it is done, with exit status 0
	Partial bool // it was stopped before it was through
	Known   bool // its outcome is: not after a crash, nor of one in the background
}

// Proves is what a run of the command with exit status 0 shows of the state
// that it leaves behind: that these checkers ran and ended well, and that
// nothing in the command may have changed anything after them.
func Proves(command string) []Kind { return understand(command).fresh.list() }

// MayChange says whether the command may change a file. Only commands that are
// known to read, and checkers, do not (G3).
func MayChange(command string) bool { return understand(command).changes }

// Outcome is the completion gate's verdict.
type Outcome string

const (
	Pass       Outcome = "pass"
	Unverified Outcome = "unverified"
	Fail       Outcome = "fail"
)

// Verdict is what Judge found. Each required kind without good evidence is in
// one of the lists.
type Verdict struct {
	Outcome Outcome
	// Feedback tells the model what is lacking and what would do, in a few
	// sentences; "" with Pass.
	Feedback string
	Missing  []Kind   // nothing ran it
	Stale    []Kind   // it ended well, and something may have changed since
	Failed   []Kind   // its last run failed, was cut short, or has no known outcome
	Masked   []Kind   // it ran so that the exit status does not show how it ended
	Open     []string // the texts of the todos that are not completed
}

// state is where the evidence of a kind stands.
type state int

const (
	missing state = iota
	proved
	stale
	failed
	masked
)

// evidence of one kind: the step that gave it, and for stale the step that
// spoiled it.
type evidence struct {
	state state
	by    *Step
	spoil *Step
}

// Judge holds an answer to what was required and to the run's todos, by the
// steps of the run in the order in which they ran. The last run of a checker
// counts, and it counts until something may have changed: in a later turn or
// behind it in its batch, by a tool or by a shell, in the same command too.
func Judge(required []Requirement, steps []Step, todos []Todo) Verdict {
	var seen [len(allKinds)]evidence
	for i := range steps {
		observe(&seen, &steps[i])
	}
	v := Verdict{Outcome: Pass}
	var lacks []string
	var again, unverified bool
	for i, kind := range allKinds {
		r := requirement(required, kind)
		e := seen[i]
		if r == nil || e.state == proved {
			continue
		}
		switch e.state {
		case missing:
			v.Missing = append(v.Missing, kind)
			if r.Optional {
				unverified = true
				continue
			}
		case stale:
			v.Stale = append(v.Stale, kind)
		case failed:
			v.Failed = append(v.Failed, kind)
		case masked:
			v.Masked = append(v.Masked, kind)
		}
		again = true
		lacks = append(lacks, e.lack(kind, r))
	}
	for _, t := range todos {
		if t.Status != Completed {
			v.Open = append(v.Open, t.Text)
		}
	}
	switch {
	case again || len(v.Open) > 0:
		v.Outcome, v.Feedback = Fail, feedback(lacks, v.Open)
	case unverified:
		v.Outcome = Unverified
		v.Feedback = fmt.Sprintf("The user asked for %s if possible, and no command ran it.", join(v.Missing))
	}
	return v
}

// observe takes one step into account.
func observe(seen *[len(allKinds)]evidence, s *Step) {
	e := effect{changes: s.Changes}
	if s.Shell {
		e = understand(s.Command)
	}
	ok := s.OK && s.Known && !s.Partial
	for i := range seen {
		bit := kinds(1 << i)
		was := &seen[i]
		if e.changes && was.state == proved {
			*was = evidence{stale, was.by, s}
		}
		switch {
		case e.tried&bit == 0:
		case !ok:
			*was = evidence{failed, s, nil}
		case e.fresh&bit != 0:
			*was = evidence{proved, s, nil}
		case e.proved&bit != 0:
			*was = evidence{stale, s, s}
		case was.state != proved: // a look at the output does not undo a good run
			*was = evidence{masked, s, nil}
		}
	}
}

// requirement is the strictest one of a kind, or nil.
func requirement(required []Requirement, kind Kind) (r *Requirement) {
	for i := range required {
		if required[i].Kind == kind && (r == nil || r.Optional) {
			r = &required[i]
		}
	}
	return r
}

// lack says what is wrong with the evidence, as a part of a sentence.
func (e evidence) lack(kind Kind, r *Requirement) string {
	switch e.state {
	case stale:
		if e.by == e.spoil {
			return fmt.Sprintf("%s ended well in %s, but the same command may have changed something after it", kind, e.by.name())
		}
		return fmt.Sprintf("%s ended well in %s, but %s after it may have changed something", kind, e.by.name(), e.spoil.name())
	case failed:
		how := "failed"
		switch {
		case !e.by.Known:
			how = "has no known outcome"
		case e.by.Partial:
			how = "was stopped before it was through"
		}
		return fmt.Sprintf("the last run of %s, %s, %s", kind, e.by.name(), how)
	case masked:
		return fmt.Sprintf("the exit status of %s does not show how %s ended", e.by.name(), kind)
	}
	said := ""
	if r.Quote != "" {
		said = fmt.Sprintf(" (%q)", clip(r.Quote, 120))
	}
	return fmt.Sprintf("the user asked for %s%s, and no command ran it", kind, said)
}

// name is how feedback names a step.
func (s *Step) name() string {
	if s.Shell {
		return "`" + clip(s.Command, 80) + "`"
	}
	return s.Tool
}

func feedback(lacks, open []string) string {
	var b strings.Builder
	if len(lacks) > 0 {
		b.WriteString("Not done yet: " + strings.Join(lacks, "; ") + ". " +
			"After your last change, run the check by itself, so that its exit status is the command's own (no pipe, no ||, no ;, no & behind it); " +
			"if it cannot be made to pass, say so plainly.")
	}
	if len(open) > 0 {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		are := "todos are"
		if len(open) == 1 {
			are = "todo is"
		}
		fmt.Fprintf(&b, "%d %s not completed (%q first): finish what is left, or write the list anew without what is no longer to be done.", len(open), are, clip(open[0], 80))
	}
	return b.String()
}

func join(l []Kind) string {
	s := make([]string, len(l))
	for i, k := range l {
		s[i] = string(k)
	}
	return strings.Join(s, " and ")
}
