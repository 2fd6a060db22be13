package tools

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// taskSet is all tasks at one time.
type taskSet struct {
	tasks map[string]task
	bad   map[string]error // by file name: why it is no task
}

// load is taskFolder.load on the set.
func (s taskSet) load(id string) (task, error) {
	if t, ok := s.tasks[id]; ok {
		return t, nil
	}
	if err := s.bad[taskFile(id)]; err != nil {
		return task{}, err
	}
	return task{}, noTask(id)
}

// sorted returns the tasks, the most urgent first.
func (s taskSet) sorted() []task {
	return slices.SortedFunc(maps.Values(s.tasks), func(a, b task) int {
		return cmp.Or(cmp.Compare(b.Priority, a.Priority), cmp.Compare(a.ID, b.ID))
	})
}

// unblocked returns the pending tasks that waited for id, which is completed
// now, and wait for nothing else: those that became ready by it, and no others.
func (s taskSet) unblocked(id string) ([]string, error) {
	var free []string
	for _, t := range s.sorted() {
		if t.Status != taskPending || !slices.Contains(t.BlockedBy, id) {
			continue
		}
		waits, err := t.waits(s.load)
		if err != nil {
			return nil, err
		}
		if len(waits) == 0 {
			free = append(free, t.ID)
		}
	}
	return free, nil
}

// render lists the tasks of a status, in about most bytes.
func (s taskSet) render(status string, most int) (string, error) {
	var b strings.Builder
	shown, left := 0, 0
	for _, t := range s.sorted() {
		waits, err := t.waits(s.load)
		if err != nil {
			return "", err
		}
		ready := t.Status == taskPending && len(waits) == 0
		if status != "" && status != t.Status && !(status == "ready" && ready) {
			continue
		}
		if b.Len() > most {
			left++
			continue
		}
		shown++
		fmt.Fprintf(&b, "%s  p%d  %s: %s\n", t.ID, t.Priority, t.standing(waits), line(t.Subject, 200))
	}
	switch {
	case left > 0:
		fmt.Fprintf(&b, "(and %s more: ask for one status only)\n", count(left, "task"))
	case shown == 0 && status != "" && len(s.tasks) > 0:
		fmt.Fprintf(&b, "(none of %s is %s)\n", count(len(s.tasks), "task"), status)
	case shown == 0:
		b.WriteString("(there are no tasks)\n")
	}
	for i, name := range slices.Sorted(maps.Keys(s.bad)) {
		if i == 20 {
			fmt.Fprintf(&b, "(and %s more that are no tasks)\n", count(len(s.bad)-i, "file"))
			break
		}
		b.WriteString(s.bad[name].Error() + "\n")
	}
	return b.String(), nil
}

// waits names what still keeps t from being claimed, and why. A task that is
// missing or cannot be read keeps it as well as one that is not completed.
func (t task) waits(load func(id string) (task, error)) ([]string, error) {
	var waits []string
	for _, id := range t.BlockedBy {
		d, err := load(id)
		why := d.Status
		switch {
		case err == nil && d.Status == taskCompleted:
			continue
		case err == nil:
		case hasCode(err, CodeNotFound):
			why = "missing"
		case hasCode(err, CodeTaskDamaged, CodeNotRegular):
			why = "damaged"
		default:
			return nil, err
		}
		waits = append(waits, id+" ("+why+")")
	}
	return waits, nil
}

// depend adds dependencies, all or none: each must be a task that is there,
// another one, and must not wait for t itself, directly or by way of others.
func (t *task) depend(ids []string, load func(id string) (task, error)) error {
	all := slices.Clone(t.BlockedBy)
	for _, id := range ids {
		if slices.Contains(all, id) {
			continue
		}
		if id == t.ID {
			return failf(CodeTaskCycle, "%s cannot wait for itself. Name other tasks in blockedBy. Nothing was changed.", t.name())
		}
		if _, err := load(id); hasCode(err, CodeNotFound) {
			return failf(CodeNotFound, "There is no task %s to wait for. Create it first, or use task_list to see which there are. Nothing was changed.", show(id))
		} else if err != nil {
			return err
		}
		all = append(all, id)
	}
	if len(all) > maxTaskDeps {
		return failf(CodeInvalid, "%s would wait for %d tasks, and %d is the most. Put another task in between that waits for some of them. Nothing was changed.", t.name(), len(all), maxTaskDeps)
	}
	way, err := wayTo(t.ID, all[len(t.BlockedBy):], load)
	if err != nil {
		return err
	}
	if way != nil {
		return failf(CodeTaskCycle, "%s cannot wait for %s, which waits for it already (%s): none of them could ever be claimed. Name other tasks in blockedBy. Nothing was changed.",
			t.name(), way[0], chain(way))
	}
	t.BlockedBy = all
	return nil
}

// wayTo returns the shortest chain of dependencies from one of the tasks to
// the task id, or nil. A task that is missing waits for nothing; of one that
// cannot be read that is not known, so nothing may depend on it. Each task is
// read once.
func wayTo(id string, from []string, load func(id string) (task, error)) ([]string, error) {
	next := map[string]string{} // from whom a task was reached
	queue := slices.Clone(from)
	for _, f := range from {
		next[f] = ""
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		t, err := load(at)
		if hasCode(err, CodeNotFound) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, d := range t.BlockedBy {
			if d == id {
				way := []string{d}
				for n := at; n != ""; n = next[n] {
					way = append(way, n)
				}
				slices.Reverse(way)
				return way, nil
			}
			if _, seen := next[d]; !seen {
				next[d] = at
				queue = append(queue, d)
			}
		}
	}
	return nil, nil
}

// standing says where a task stands, as a clause.
func (t task) standing(waits []string) string {
	switch {
	case t.Status != taskPending:
		return t.state()
	case len(waits) > 0:
		return "pending, waits for " + list(waits)
	}
	return "pending, ready to be claimed"
}

// chain writes a way from one task to another.
func chain(way []string) string {
	if n := len(way); n > 10 {
		way = slices.Concat(way[:8], []string{fmt.Sprintf("%d others", n-9)}, way[n-1:])
	}
	return strings.Join(way, " > ")
}

// list joins a few of the words.
func list(words []string) string {
	const most = 10
	if len(words) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), len(words)-most)
	}
	return strings.Join(words, ", ")
}

// hasCode reports whether err is an Error with one of the codes.
func hasCode(err error, codes ...string) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(codes, e.Code)
}
