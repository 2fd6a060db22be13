package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/near"
	"github.com/harnessbench/bench/providers"
)

// arming is one `at` line: what to do at which hit of which point.
type arming struct {
	text  string // as written
	point env.Point
	what  string // as written, "" for any
	call  callRef
	kind  journal.Kind
	lane  string
	n     int // the n-th hit from here
	act   action
	arg   string        // GATE, or the errno's or signal's name
	bytes int           // of a torn write; -1: not given
	after time.Duration // between the hit and the action
}

type action string

const (
	actKill   action = "kill"
	actPower  action = "powercut"
	actAbort  action = "abort"
	actSignal action = "signal"
	actPanic  action = "panic"
	actError  action = "error"
	actOpen   action = "open"
)

// actions is the closed list, and whether the action takes an argument.
var actions = []struct {
	name action
	arg  string
}{
	{actKill, ""}, {actPower, ""}, {actAbort, ""}, {actSignal, "S"}, {actPanic, ""}, {actError, "ERRNO"}, {actOpen, "GATE"},
}

func actionNames() []string {
	var names []string
	for _, a := range actions {
		names = append(names, string(a.name))
	}
	return names
}

// errnos are the errors that a disk can answer with.
var errnos = []struct {
	name string
	err  syscall.Errno
}{
	{"ENOSPC", syscall.ENOSPC}, {"EIO", syscall.EIO}, {"EDQUOT", syscall.EDQUOT}, {"EROFS", syscall.EROFS},
	{"EFBIG", syscall.EFBIG}, {"EACCES", syscall.EACCES}, {"EBADF", syscall.EBADF},
}

func errnoNames() []string {
	var names []string
	for _, e := range errnos {
		names = append(names, e.name)
	}
	return names
}

func errnoOf(name string) error {
	for _, e := range errnos {
		if e.name == name {
			return e.err
		}
	}
	return nil
}

// pointInfo says what a visit of a point carries, and so what WHAT may name.
type pointInfo struct {
	lane, records, call bool
	torn                bool // a write that can be torn
	fails               bool // an error there is a failure of the operation at hand
}

// anyPoint is the crash point of a sweep over all of them: the N-th visit of
// whatever point.
const anyPoint env.Point = "*"

func infoOf(p env.Point) pointInfo {
	s := string(p)
	var i pointInfo
	switch {
	case strings.HasPrefix(s, "append."), strings.HasPrefix(s, "audit."), strings.HasPrefix(s, "publish."):
		i.records = true
		i.torn = strings.HasSuffix(s, ".torn")
		i.fails = p != env.PublishAfter
	case strings.HasPrefix(s, "tool."):
		i.call = true
	case p == env.KeepBefore, p == env.KeepWritten:
		i.call = true
		i.fails = p == env.KeepBefore
	case p == env.RequestBefore, p == env.StreamEvent, p == env.TurnAssembled, p == env.Backoff, p == env.CompactBefore, p == env.CompactSummary:
		i.lane = true
	}
	return i
}

var lanes = []string{
	providers.LaneMain, providers.LaneSummary, providers.LaneJudge,
	providers.LaneTitle, providers.LaneMemory, providers.LaneProbe,
}

func pointNames() []string {
	var names []string
	for _, p := range env.Points() {
		names = append(names, string(p))
	}
	return names
}

func kindNames() []string {
	var names []string
	for _, k := range journal.Kinds() {
		names = append(names, string(k))
	}
	return names
}

// parseArming reads POINT [WHAT] [N] ACTION [bytes=N] [after=D].
func parseArming(args []string) (arming, error) {
	a := arming{text: "at " + strings.Join(args, " "), n: 1, bytes: -1}
	if len(args) < 2 {
		return a, fmt.Errorf("at needs a point and an action: at POINT [WHAT] [N] ACTION")
	}
	a.point = env.Point(args[0])
	if a.point != anyPoint && !slices.Contains(env.Points(), a.point) {
		return a, fmt.Errorf("%s", near.Unknown("crash point", args[0], pointNames()))
	}
	info := infoOf(a.point)
	verb := slices.IndexFunc(args[1:], func(s string) bool { return slices.Contains(actionNames(), s) }) + 1
	if verb == 0 {
		last := args[len(args)-1]
		for _, w := range args[1:] {
			if near.Word(w, actionNames()) != "" {
				last = w
			}
		}
		return a, fmt.Errorf("%s", near.Unknown("action", last, actionNames()))
	}
	if err := a.parseWhat(args[1:verb], info); err != nil {
		return a, err
	}
	return a, a.parseAction(args[verb:], info)
}

func (a *arming) parseWhat(what []string, info pointInfo) error {
	if n := len(what); n > 0 {
		if k, err := strconv.Atoi(what[n-1]); err == nil {
			if k < 1 {
				return fmt.Errorf("hit %d does not exist: N counts from 1", k)
			}
			a.n, what = k, what[:n-1]
		}
	}
	if len(what) == 0 {
		return nil
	}
	if len(what) > 1 {
		return fmt.Errorf("%q is too much before the action: at POINT [WHAT] [N] ACTION", strings.Join(what, " "))
	}
	a.what = what[0]
	var err error
	switch {
	case info.call:
		if a.call, err = parseCallRef(a.what); err != nil {
			return err
		}
		if slices.Contains(journal.Kinds(), journal.Kind(a.what)) {
			return fmt.Errorf("%s is about a call, and %q is a record kind: name the call's id", a.point, a.what)
		}
	case info.records:
		kind, id, hasID := strings.Cut(a.what, ":")
		if !slices.Contains(journal.Kinds(), journal.Kind(kind)) {
			return fmt.Errorf("%s", near.Unknown("record kind", kind, kindNames()))
		}
		a.kind = journal.Kind(kind)
		if hasID {
			if a.call, err = parseCallRef(id); err != nil {
				return err
			}
		}
	case info.lane:
		if !slices.Contains(lanes, a.what) {
			return fmt.Errorf("%s", near.Unknown("lane", a.what, lanes))
		}
		a.lane = a.what
	default:
		return fmt.Errorf("%s names no call, record or lane: drop %q", a.point, a.what)
	}
	return nil
}

func (a *arming) parseAction(rest []string, info pointInfo) error {
	a.act = action(rest[0])
	rest = rest[1:]
	for _, known := range actions {
		if known.name != a.act || known.arg == "" {
			continue
		}
		if len(rest) == 0 {
			return fmt.Errorf("%s needs its argument: %s %s", a.act, a.act, known.arg)
		}
		a.arg, rest = rest[0], rest[1:]
	}
	for _, w := range rest {
		k, v, err := keyValue(w)
		if err != nil {
			return fmt.Errorf("%q is too much after %s: only bytes=N and after=D may follow", w, a.act)
		}
		switch k {
		case "bytes":
			a.bytes, err = parseNatural("bytes", v, 0)
		case "after":
			a.after, err = parseDuration(v)
		default:
			err = fmt.Errorf("%s", near.Unknown("key", k, []string{"bytes", "after"}))
		}
		if err != nil {
			return err
		}
	}
	switch a.act {
	case actSignal:
		return fmt.Errorf("signal is for a real agent process, which is not built yet: use kill or abort")
	case actError:
		if errnoOf(a.arg) == nil {
			return fmt.Errorf("%s", near.Unknown("errno", a.arg, errnoNames()))
		}
		if !info.fails {
			return fmt.Errorf("nothing is written at %s that could fail with %s: error belongs to append.*, audit.*, publish.before and keep.before", a.point, a.arg)
		}
	}
	if a.after > 0 && (a.act == actPanic || a.act == actError) {
		return fmt.Errorf("%s happens at the point itself: drop after=", a.act)
	}
	tears := a.act == actKill || a.act == actPower || a.act == actError
	if a.bytes >= 0 && (!info.torn || !tears) {
		return fmt.Errorf("bytes= tears a write: it belongs to append.torn or audit.torn with kill, powercut or error")
	}
	if info.torn && tears && a.act != actError && a.bytes < 0 {
		return fmt.Errorf("%s needs bytes=N: how much of the line reaches the disk", a.point)
	}
	return nil
}
