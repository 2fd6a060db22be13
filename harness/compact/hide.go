package compact

import "slices"

// hide is the edit that puts text in the place of units[i:j].
func hide(units []Unit, i, j int, stage Stage, text string) Edit {
	e := Edit{Stage: stage, From: units[i].From, To: units[j-1].To, Text: text}
	e.Kept = survivors(units, i, j, stage)
	u, hidden := stand(units, i, j, e), Sum(units[i:j])
	e.Before = Sum(units)
	e.After = e.Before.plus(u.Bytes-hidden.Bytes, u.Images-hidden.Images)
	return e
}

// SnipEdit leaves out the middle of a conversation of more than SnipOver
// messages: the steps and notes between the first SnipFirst and the last
// SnipLast messages. A unit on either edge stays whole. What the user said in
// between survives behind the marker, and so does a summary and a result that
// was not read. A later snip takes the marker in, so there is one (E2). It is
// for a request that is too long already; the caller decides that.
func SnipEdit(units []Unit, l Limits) (Edit, bool) {
	n := 0
	for i := range units {
		n += units[i].messages()
	}
	if l.SnipOver <= 0 || n <= l.SnipOver {
		return Edit{}, false
	}
	i, j := middle(units, l)
	fresh, steps := false, 0
	for k := i; k < j; k++ {
		fresh = fresh || units[k].Kind == Step
		steps += units[k].steps()
	}
	if !fresh { // snipped already
		return Edit{}, false
	}
	e := hide(units, i, j, Snip, SnipText(steps))
	if !Reduced(e) {
		return Edit{}, false
	}
	return e, true
}

// middle is what a snip hides, [i, j).
func middle(units []Unit, l Limits) (i, j int) {
	for n := 0; i < len(units) && n < l.SnipFirst; i++ {
		n += units[i].messages()
	}
	j = len(units)
	for n := 0; j > 0 && n < l.SnipLast; j-- {
		n += units[j-1].messages()
	}
	for k := range units {
		switch u := &units[k]; {
		case u.Kind == Summary:
			i = max(i, k+1)
		case u.marker() && k >= j: // other limits put it there
			return 0, 0
		case u.marker():
			i = min(i, k)
		case u.unread():
			j = min(j, k)
		}
	}
	return i, max(i, j)
}

// SummaryRange says what a summary would hide, before its text exists: all
// but the last keep units, and but the step of any result that was not read.
// inner are the hidden units, not to be modified, a prompt that survives among
// them. It is not ok where nothing new would be hidden: summarising a summary
// again, because it was asked for again, only wears it out
// (openclaw/openclaw#120663). Nor where even a summary
// of no words would not be worth it: three such requests, and no other summary
// is tried any more (D14).
func SummaryRange(units []Unit, keep int) (from, to int64, inner []Unit, ok bool) {
	cut := max(len(units)-max(keep, 0), 0)
	for i := range cut {
		if keep >= 0 && units[i].unread() {
			cut = i
			break
		}
	}
	kept := survivors(units, 0, cut, Summary)
	for i := range cut {
		u := &units[i]
		if u.Kind == Summary || u.marker() || u.asking() || u.Kind == Prompt && slices.Contains(kept, u.From) {
			continue
		}
		if e := hide(units, 0, cut, Summary, ""); !Gain(e.Before, e.After) {
			break
		}
		return units[0].From, units[cut-1].To, units[:cut:cut], true
	}
	return 0, 0, nil, false
}

// SummaryEdit hides what SummaryRange says behind text, which stands there as
// it is: SummaryText makes it from a model's answer. The last prompt of all
// stays word for word. Whether the text is worth it is CheckSummary's to say.
func SummaryEdit(units []Unit, keep int, text string) (Edit, bool) {
	_, _, inner, ok := SummaryRange(units, keep)
	if !ok {
		return Edit{}, false
	}
	return hide(units, 0, len(inner), Summary, text), true
}
