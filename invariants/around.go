package invariants

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/evidence"
)

// How many lines before and after the place a finding shows.
const (
	linesBefore = 3
	linesAfter  = 2
)

// excerpt prints the lines around i, the i-th marked.
func excerpt(n, i int, line func(int) string) []string {
	var out []string
	for j := max(0, i-linesBefore); j < min(n, i+linesAfter+1); j++ {
		mark := "  "
		if j == i {
			mark = "> "
		}
		out = append(out, mark+line(j))
	}
	return out
}

// record is the place of a record and what stands around it.
func (c *Case) record(i int) (Place, []string) {
	return Place{File: evidence.TranscriptFile, Line: c.at[i].Line, Seq: c.recs[i].Seq},
		excerpt(len(c.recs), i, func(j int) string { return evidence.Describe(&c.recs[j]) })
}

// entry is the place of an audit entry.
func (c *Case) entry(i int) (Place, []string) {
	return Place{File: evidence.AuditFile, Line: c.ev.EntryAt[i].Line, Seq: c.ev.Entries[i].Seq},
		excerpt(len(c.ev.Entries), i, func(j int) string {
			e := &c.ev.Entries[j]
			return fmt.Sprintf("%4d %-10s %s (line %.8s, prev %.8s, hash %.8s)", e.Seq, e.Kind, e.Why, e.Line, e.Prev, e.Hash)
		})
}

// oddLine is the place of a line that does not belong where it stands.
func oddLine(o evidence.Odd) (Place, []string) {
	return Place{File: o.File, Line: o.Line}, []string{"> " + strconv.Quote(o.Text)}
}

// shown is the place of an event that a subscriber saw.
func (c *Case) shown(i int) (Place, []string) {
	return Place{File: evidence.ShownFile, Line: i + 1, Seq: c.ev.Shown[i].Record, Life: c.ev.Shown[i].Life},
		excerpt(len(c.ev.Shown), i, func(j int) string { return describeShown(&c.ev.Shown[j]) })
}

func describeShown(s *evidence.Shown) string {
	out := fmt.Sprintf("life %d  %-10s", s.Life, s.Kind)
	if s.Record > 0 {
		out += fmt.Sprintf(" record %d", s.Record)
	}
	for _, w := range []string{s.Attempt, s.Call, s.ID} {
		if w != "" {
			out += " " + word(w)
		}
	}
	if s.Text != "" {
		out += " " + quoted(s.Text)
	}
	return out
}

// step is the place of a step of the trace.
func (c *Case) step(i int) (Place, []string) {
	return Place{File: evidence.TraceFile, Line: i + 1, Seq: c.ev.Trace[i].Record, Life: c.ev.Trace[i].Life},
		excerpt(len(c.ev.Trace), i, func(j int) string { return describeStep(&c.ev.Trace[j]) })
}

func describeStep(s *evidence.Step) string {
	out := fmt.Sprintf("life %d  %v  %-10s", s.Life, s.At, s.Kind)
	if s.File != "" {
		out += fmt.Sprintf(" %s, %d bytes", s.File, s.Len)
	}
	switch {
	case s.Record > 0:
		out += fmt.Sprintf(" record %d", s.Record)
	case s.Kind == evidence.StepPublish:
		out += " a preview"
	}
	if s.Call != "" {
		out += " " + s.Call
	}
	if s.ID != "" {
		out += " (" + word(s.ID) + ")"
	}
	if s.N > 0 {
		out += fmt.Sprintf(" exchange %d", s.N)
	}
	if s.What != "" {
		out += " " + s.What
	}
	return out
}

// effect is the place of an effect.
func (c *Case) effect(i int) (Place, []string) {
	return Place{File: evidence.EffectsFile, Line: c.ev.EffectAt[i].Line},
		excerpt(len(c.ev.Effects), i, func(j int) string {
			e := &c.ev.Effects[j]
			out := word(e.Tool) + " " + word(e.Call)
			if e.ID != "" {
				out += " (" + word(e.ID) + ")"
			}
			if e.Key != "" {
				out += " key " + word(e.Key)
			}
			if e.What != "" {
				out += " " + quoted(e.What)
			}
			return fmt.Sprintf("%s, life %d", out, e.Life)
		})
}

// reply is the place of an answer, and its last bytes.
func reply(x *exchange) (Place, []string) {
	return Place{File: evidence.ReplyFile(x.Exchange), Exchange: x.N, Life: x.Life},
		[]string{"> " + describeExchange(x.Exchange), "  " + endOf(x.Reply)}
}

// request is the place of a request, and its last bytes.
func request(x *exchange) (Place, []string) {
	return Place{File: evidence.RequestFile(x.Exchange), Exchange: x.N, Life: x.Life},
		[]string{"> " + describeExchange(x.Exchange), "  " + endOf(x.Body)}
}

func describeExchange(x *evidence.Exchange) string {
	lane := x.Lane
	if lane == "" {
		lane = "main"
	}
	out := fmt.Sprintf("exchange %d, %s", x.N, lane)
	if x.Attempt != "" {
		out += " " + x.Attempt
	}
	out += fmt.Sprintf(": %d bytes asked, ", len(x.Body))
	if x.Status == 0 {
		out += "no answer"
	} else {
		out += fmt.Sprintf("status %d, %d bytes answered", x.Status, len(x.Reply))
	}
	if x.Ending != "" {
		out += ", " + x.Ending
	}
	return out
}

// endOf shows the last bytes of a body.
func endOf(b []byte) string {
	const most = 200
	if len(b) <= most {
		return strconv.Quote(string(b))
	}
	return "..." + strconv.Quote(string(b[len(b)-most:]))
}

// life is the place of a life.
func life(n int) Place { return Place{File: evidence.LivesFile, Life: n} }

// clip shortens a text for a sentence.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "..." // the last rune may have been cut
}

// quoted is a text as a sentence quotes it.
func quoted(s string) string { return strconv.Quote(clip(s, 60)) }

// word is an id or a name as a sentence names it: they come from models and
// may be anything.
func word(s string) string {
	if s == "" {
		return `""`
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.#:/", c) >= 0) {
			return quoted(s)
		}
	}
	return clip(s, 60)
}

// raw is a call's input as a sentence shows it: as it is where that is one
// readable line.
func raw(input string) string {
	if input == "" {
		return "nothing"
	}
	for _, r := range input {
		if !strconv.IsPrint(r) || r == '\uFFFD' {
			return strconv.Quote(clip(input, 80))
		}
	}
	return clip(input, 80)
}
