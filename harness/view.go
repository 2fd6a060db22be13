package harness

import (
	"slices"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/providers"
)

// view is what boundaries make of a history: which entries are hidden, what
// stands there instead, and how results are shortened. It is the one place that
// knows; the history itself never changes (compaction is a projection, E6).
type view struct {
	hidden []hidden // in order of their ranges, which do not overlap
	forms  map[string][]form
}

type hidden struct {
	from, to int64
	text     string
	kept     []int64 // prompts inside that stay
	said     bool    // text was put in its place, since the last restart
}

// form is one step in which a result is shown smaller. What an edit's sizes say
// holds only if the steps are taken in the order of the edits.
type form struct {
	stage   compact.Stage
	preview int // bytes, of budget
}

// apply adds the boundary at i. One that covers an earlier one takes its place.
func (v *view) apply(h History, i int) {
	e := h.At(i)
	if e.To > e.From {
		v.hidden = slices.DeleteFunc(v.hidden, func(o hidden) bool { return e.From <= o.from && o.to <= e.To })
		v.hidden = append(v.hidden, hidden{from: e.From, to: e.To, text: e.Text, kept: keeps(h, i)})
		slices.SortFunc(v.hidden, func(a, b hidden) int { return int(a.from - b.from) })
	}
	for _, call := range e.Names {
		if v.forms == nil {
			v.forms = map[string][]form{}
		}
		v.forms[call] = append(v.forms[call], form{compact.Stage(e.Code), e.Bytes})
	}
}

// keeps are the prompts in a boundary's range that stay.
func keeps(h History, i int) []int64 {
	e := h.At(i)
	var inside []int64
	behind := false
	for k := range i {
		switch u := h.At(k); {
		case u.Kind != EntryUser:
		case u.Seq >= e.To:
			behind = true
		case u.Seq >= e.From:
			inside = append(inside, u.Seq)
		}
	}
	return compact.Survivors(compact.Stage(e.Code), inside, behind)
}

// restart begins a walk over the history from its first entry.
func (v *view) restart() {
	for i := range v.hidden {
		v.hidden[i].said = false
	}
}

// hides reports whether an entry is hidden. The first one of a range brings the
// text that stands there.
func (v *view) hides(e *Entry) (texts []string, ok bool) {
	for i := range v.hidden {
		r := &v.hidden[i]
		if e.Seq < r.from || e.Seq >= r.to || e.Kind == EntryBoundary {
			continue
		}
		if !r.said {
			r.said = true
			texts = append(texts, r.text)
		}
		if e.Kind == EntryUser && slices.Contains(r.kept, e.Seq) {
			texts = append(texts, e.Text)
		}
		return texts, true
	}
	return nil, false
}

// result is an outcome as it is shown.
func (v *view) result(e *Entry) (text string, images []providers.ImageData, isError bool) {
	text, images = e.Text, e.Images
	if e.IsError {
		images = nil // the API takes text alone in an error
	}
	for _, f := range v.forms[e.Call] {
		switch f.stage {
		case compact.Budget:
			text = compact.PreviewOf(text, f.preview, e.Call, max(e.Bytes, len(text)))
		case compact.Media:
			if len(images) > 0 {
				text, images = text+compact.MediaStub(len(images)), nil
			}
		default:
			text, images = compact.StubOf(e.Name, e.Call, len(text)), nil
		}
	}
	return text, images, e.IsError
}
