package scenarios

import (
	"fmt"
	"strings"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
)

// callNames knows which of our call ids is which call of the script: the n-th
// with its id.
type callNames struct {
	ids    map[string]string // ours: the script's
	number map[string]int    // ours: n, from 1
	count  map[string]int    // the script's: how many
}

func (c *callNames) add(ours, id string) {
	if old, known := c.ids[ours]; ours == "" || known && old == id {
		return
	} else if known { // that record was torn, and a later life gave the number anew
		c.count[old]--
	}
	if c.ids == nil {
		c.ids, c.number, c.count = map[string]string{}, map[string]int{}, map[string]int{}
	}
	c.count[id]++
	c.ids[ours], c.number[ours] = id, c.count[id]
}

// visit learns from the probe: a call's record is the first that names it.
func (c *callNames) visit(site env.Site) {
	if site.Point != env.AppendBefore {
		return
	}
	for i := range site.Records {
		if r := &site.Records[i]; r.Kind == string(journal.KindCall) {
			c.add(r.Call, r.ID)
		}
	}
}

func (c *callNames) read(recs []journal.Record) {
	for i := range recs {
		if recs[i].Kind == journal.KindCall {
			c.add(recs[i].Call, recs[i].ID)
		}
	}
}

// names are the names of a call in patterns: ID and ID#N.
func (c *callNames) names(ours string) []string {
	id, ok := c.ids[ours]
	if !ok {
		return nil
	}
	return []string{id, callRef{id, c.number[ours]}.String()}
}

// waits measures the loop's backoffs from the outside: from the visit of
// backoff to the next request of the lane.
type waits struct {
	since map[string]time.Time
	list  []time.Duration
}

func (w *waits) visit(site env.Site, now time.Time) {
	switch site.Point {
	case env.Backoff:
		if w.since == nil {
			w.since = map[string]time.Time{}
		}
		w.since[site.Lane] = now
	case env.RequestBefore:
		if t, ok := w.since[site.Lane]; ok {
			w.list = append(w.list, now.Sub(t))
			delete(w.since, site.Lane)
		}
	}
}

// armed is one `at` line at work.
type armed struct {
	arming
	place string
	s     *session
	moves int // run and resume commands before it
	fired int
	at    env.Point // where it fired
	hits  int       // that matched
	other []string
	seen  int // visits of the point, matching or not
}

// hit reports whether this visit is the one that was meant.
func (a *armed) hit(site env.Site, calls *callNames) bool {
	if site.Point != a.point && a.point != anyPoint {
		return false
	}
	a.seen++
	if !a.matches(site, calls) {
		if len(a.other) < 5 {
			a.other = append(a.other, siteName(site))
		}
		return false
	}
	a.hits++
	return a.hits == a.n
}

func (a *armed) matches(site env.Site, calls *callNames) bool {
	if a.what == "" {
		return true
	}
	if a.lane != "" {
		lane := site.Lane
		if lane == "" {
			lane = "main"
		}
		return lane == a.lane
	}
	if a.kind == "" {
		return a.call.matches(site.ID, calls.number[site.Call])
	}
	for i := range site.Records {
		r := &site.Records[i]
		if r.Kind == string(a.kind) && (a.call.id == "" || a.call.matches(calls.ids[r.Call], calls.number[r.Call])) {
			return true
		}
	}
	return false
}

func siteName(site env.Site) string {
	switch {
	case site.ID != "":
		return site.ID
	case site.Lane != "":
		return site.Lane
	}
	var names []string
	for _, r := range site.Records {
		n := r.Kind
		if r.ID != "" {
			n += ":" + r.ID
		}
		names = append(names, n)
	}
	return strings.Join(names, "+")
}

// near says how near the run came to an `at` line that never fired.
func (a *armed) near(last env.Point) string {
	switch {
	case a.fired > 0:
		return ""
	case a.hits > 0:
		return fmt.Sprintf("%s was visited %s, not %d", strings.TrimSpace(string(a.point)+" "+a.what), times(a.hits), a.n)
	case a.seen > 0:
		return fmt.Sprintf("%s was visited %s, for %s, never for %s", a.point, times(a.seen), strings.Join(a.other, ", "), a.what)
	case last == "":
		return fmt.Sprintf("the run never came to %s: no point was visited at all", a.point)
	}
	return fmt.Sprintf("the run never came to %s; the last point it visited was %s", a.point, last)
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
