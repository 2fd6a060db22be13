package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
)

// NoOutput is the text of a call that is done and printed nothing: the API
// refuses empty content (C5).
const NoOutput = "(no output)"

// failure is an outcome that is not done.
func failure(s journal.State, code, text string) Outcome {
	return Outcome{Text: text, Code: code, State: s, IsError: true}
}

// neverStarted is the outcome of a call whose turn did not come.
func neverStarted(t *Tool, why error) Outcome {
	return failure(journal.Never, CodeAborted,
		fmt.Sprintf("never started: the run was stopped (%s) before the turn of %s came. It did nothing.", line(why.Error(), 200), t.Name))
}

// SiblingFailed is the outcome of a call of t that does not start because a
// call of stopper in the same answer failed (C7).
func SiblingFailed(stopper, t *Tool) Outcome {
	name := "another tool"
	if stopper != nil {
		name = stopper.Name
	}
	return failure(journal.Never, CodeSibling, fmt.Sprintf(
		"never started: %s failed before the turn of %s came, so the calls behind it were not run. It did nothing. Call it again if it is still right.", name, t.Name))
}

// stopCode is the code of a call that was told to stop.
func stopCode(why error) string {
	var s *siblingFailed
	if errors.As(why, &s) {
		return CodeSibling
	}
	return CodeAborted
}

// leave is the outcome of a tool that did not stop. Nothing is known of it and
// nothing is claimed: it may still be running (vellum-ai/vellum-assistant
// p42190).
func (x *execution) leave(why error) Outcome {
	o := failure(journal.Interrupted, CodeLeft, fmt.Sprintf(
		"interrupted: %s was told to stop (%s) and had not stopped %v later. It may still be running: what it does may still happen, and its result will not be reported.",
		x.tool.Name, line(why.Error(), 200), x.opt.Grace))
	o.Left = true
	return o
}

// outcome judges what the tool left; why is the cause of the end of its
// context, which matters only if that end came before the tool returned.
func (x *execution) outcome(why error) (o Outcome) {
	defer func() { o.Fault, o.Stack = x.fault, x.stack }()
	name := x.tool.Name
	if !x.entered {
		return failure(journal.Interrupted, CodeInternal, fmt.Sprintf(
			"interrupted: the harness failed before %s was entered. It did nothing.", name))
	}
	if x.panicked {
		return failure(journal.Failed, CodeInternal, fmt.Sprintf(
			"%s broke down (an error inside the tool). What it did before that is not undone. Check what is there before you try again, or do it another way.", name))
	}
	text, cut := x.out.join(x.opt.Limit)
	blank := strings.TrimSpace(text) == ""
	switch {
	case x.err == nil && !x.out.IsError:
		images, left := x.images(false)
		if blank {
			text = NoOutput
			if len(images) > 0 {
				text = "(" + count(len(images), "image") + ")"
			}
		}
		o = Outcome{Text: withNote(text, left), State: journal.Done, Images: images, Names: slices.Clone(x.out.Names)}
	case x.stopped && x.err != nil:
		o = x.stop(why, text, blank)
	default:
		o = failure(journal.Failed, CodeExecution, text)
		if x.out.Code != "" {
			o.Code = x.out.Code
		}
		if x.err != nil {
			var coded *Error
			if errors.As(x.err, &coded) && coded.Code != "" {
				o.Code = coded.Code
			}
			said, more := Output{Text: x.err.Error()}.join(x.opt.Limit)
			cut += more
			switch {
			case blank:
				o.Text = said
			case strings.TrimSpace(said) != "":
				o.Text = said + "\nIts output until then:\n" + text
			}
		}
		if strings.TrimSpace(o.Text) == "" { // smallest-inc/smallest-python-sdk p118
			o.Text = fmt.Sprintf("%s failed and did not say why.", name)
		}
	}
	o.Cut = cut
	if o.IsError {
		_, left := x.images(true)
		o.Text = withNote(o.Text, left)
	}
	return o
}

// stop is the outcome of a tool that stopped because it was told to.
func (x *execution) stop(why error, text string, blank bool) Outcome {
	var b strings.Builder
	o := failure(journal.Interrupted, stopCode(why), "")
	if why == x.late {
		o.State, o.Code = journal.Failed, CodeTimeout
		fmt.Fprintf(&b, "%s timed out: it was stopped after %v.", x.tool.Name, x.limit)
	} else {
		fmt.Fprintf(&b, "interrupted: %s was told to stop (%s) and stopped.", x.tool.Name, line(why.Error(), 200))
	}
	b.WriteString(" What it did until then is not undone.")
	if said := line(x.err.Error(), 500); said != "" && !isEnd(x.err, why) {
		b.WriteString(" It said: " + said)
	}
	if blank {
		b.WriteString(" It had no output until then.")
	} else {
		b.WriteString(" Its output until then:\n" + text)
	}
	o.Text = b.String()
	return o
}

// isEnd reports whether err only repeats that the context ended.
func isEnd(err, why error) bool {
	return err == why || err.Error() == why.Error() || err.Error() == "context canceled" || err.Error() == "context deadline exceeded"
}
