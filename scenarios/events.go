package scenarios

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
)

// expectEvents holds patterns against the whole list of one source.
func (e *engine) expectEvents(neg bool, args []string) error {
	ps, err := parsePatterns(args[0], args[1:])
	if err != nil {
		return err
	}
	list := e.items(args[0])
	ok, items, at := matchAll(ps, list)
	if ok != neg {
		return nil
	}
	if neg {
		return fmt.Errorf("events %s match, and were not to%s", args[0], listed(list, -1))
	}
	return mismatch("events "+args[0], ps, list, items, at)
}

// mismatch says where patterns and a list part.
func mismatch(what string, ps []pattern, list []item, items, at int) error {
	switch {
	case at == len(ps):
		return fmt.Errorf("%s: %d more than was expected, from the one marked on%s", what, len(list)-items, listed(list, items))
	case items == len(list) && !(at > 0 && ps[at-1].any):
		return fmt.Errorf("%s: the list ends, and %s was still expected%s", what, ps[at].text, listed(list, -1))
	case at > 0 && ps[at-1].any:
		return fmt.Errorf("%s: nothing from the one marked on matches %s%s", what, ps[at].text, listed(list, items))
	}
	return fmt.Errorf("%s: the one marked was expected to match %s%s", what, ps[at].text, listed(list, items))
}

// listed prints a list, with a mark; long ones around the mark only.
func listed(list []item, mark int) string {
	const most = 40
	from, to := 0, len(list)
	if to > most {
		from = max(0, min(mark, to)-most/2)
		to = min(to, from+most)
	}
	var b strings.Builder
	if from > 0 {
		fmt.Fprintf(&b, "\n    ... %d before", from)
	}
	for i := from; i < to; i++ {
		sign := " "
		if i == mark {
			sign = ">"
		}
		it := &list[i]
		name := it.kind
		if len(it.ids) > 0 && it.ids[0] != "" {
			name += ":" + it.ids[0]
		}
		fmt.Fprintf(&b, "\n  %s %-24s %s", sign, name, clipLine(it.line, 150))
	}
	if to < len(list) {
		fmt.Fprintf(&b, "\n    ... %d more", len(list)-to)
	}
	if mark == len(list) {
		b.WriteString("\n  > (end)")
	}
	return b.String()
}

func clipLine(s string, most int) string {
	s = strings.TrimRight(s, "\n")
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xc0 == 0x80 {
		most--
	}
	return s[:most] + "..."
}

// items lists what a source has.
func (e *engine) items(source string) []item {
	s := e.cur
	switch source {
	case "shown":
		return s.shownItems()
	case "effects":
		effects, _ := evidence.ReadEffects(s.bytes(e.world, "effects"))
		var list []item
		for _, f := range effects {
			list = append(list, item{f.Tool, s.calls.names(f.Call), jsonLine(f)})
		}
		return list
	case "wire":
		return wireItems(s.exchanges())
	case "hooks":
		var list []item
		for _, h := range s.log.Evidence().Hooks {
			list = append(list, item{h.Kind, []string{h.Outcome}, jsonLine(h)})
		}
		return list
	}
	var ev evidence.Evidence
	ev.Load(s.bytes(e.world, "transcript"), s.bytes(e.world, "audit"), nil)
	s.calls.read(ev.Records)
	byseq := map[int64]*journal.Record{}
	var list []item
	for i := range ev.Records {
		r := &ev.Records[i]
		byseq[r.Seq] = r
		if source == "transcript" {
			at := ev.RecordAt[i]
			list = append(list, item{string(r.Kind), s.names(r), string(ev.Transcript[at.Off:at.End])})
		}
	}
	if source == "audit" {
		for i := range ev.Entries {
			at := ev.EntryAt[i]
			it := item{kind: string(ev.Entries[i].Kind), line: string(ev.Audit[at.Off:at.End])}
			if r := byseq[ev.Entries[i].Seq]; r != nil {
				it.ids = s.names(r)
			}
			list = append(list, it)
		}
	}
	return list
}

// names are what KIND:ID may use for a record: of one that is about a call, the
// call's names first.
func (s *session) names(r *journal.Record) []string {
	return s.calls.named(r.Call, r.Attempt, namesOf(r))
}

// idNames are the IDs of a record beside the call that it is about, "" for none.
type idNames [2]string

// named puts the names of a call before those of the record about it, whose
// attempt says nothing then.
func (c *callNames) named(ours, attempt string, own idNames) []string {
	names := c.names(ours)
	call := names != nil
	for _, n := range own { // a notice about a call has both
		if n != "" && !(call && n == attempt) {
			names = append(names, n)
		}
	}
	return names
}

func namesOf(r *journal.Record) idNames {
	switch r.Kind {
	case journal.KindTransition, journal.KindTerminal:
		return idNames{r.Reason}
	case journal.KindNotice, journal.KindAnomaly, journal.KindQuarantine, journal.KindPermission:
		return idNames{r.Code}
	case journal.KindGate, journal.KindBoundary:
		return idNames{r.Code, r.Code + ":" + r.Reason}
	}
	return idNames{r.Attempt}
}

func (s *session) shownItems() []item {
	var list []item
	for i, sh := range s.log.Evidence().Shown {
		list = append(list, item{sh.Kind, s.calls.named(sh.Call, sh.Attempt, s.shownAs[i]), jsonLine(sh)})
	}
	return list
}

// wireLine is what RE sees of an exchange; the bodies are in $EVIDENCE/wire.
type wireLine struct {
	N       int    `json:"n"`
	Life    int    `json:"life"`
	Lane    string `json:"lane"`
	Attempt string `json:"attempt,omitempty"`
	Status  int    `json:"status,omitempty"`
	Ending  string `json:"ending,omitempty"`
	Place   string `json:"place,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Bytes   int    `json:"bytes"`
	Reply   int    `json:"reply"`
}

func wireItems(wire []*evidence.Exchange) []item {
	var list []item
	for _, x := range wire {
		list = append(list, item{x.Lane, []string{strconv.Itoa(x.Status)}, jsonLine(wireLine{
			x.N, x.Life, x.Lane, x.Attempt, x.Status, x.Ending, x.Place, x.Reason, len(x.Body), len(x.Reply),
		})})
	}
	return list
}

func jsonLine(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
