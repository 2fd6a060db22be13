package invariants

import (
	"github.com/harnessbench/bench/harness/journal"
)

// approvals walks the permission records. Between an ask and its answer nothing
// of the same answer's calls starts, and what was asked about starts only behind
// a yes. A crash ends an approval: the next life asks again.
func (c *Case) approvals() []Finding {
	var out []Finding
	open := map[string]int{}   // call -> its ask, as long as nobody has answered
	batch := map[string]int{}  // attempt -> how many asks are open
	latest := map[string]int{} // call -> its last permission record
	blame := func(i int, format string, args ...any) {
		where, around := c.record(i)
		out = append(out, found(where, around, format, args...))
	}
	answered := func(call string) {
		if _, ok := open[call]; ok {
			delete(open, call)
			batch[c.attemptOf(call)]--
		}
	}
	for i := range c.recs {
		r := &c.recs[i]
		switch r.Kind {
		case journal.KindResume:
			clear(open)
			clear(batch)
		case journal.KindPermission:
			if c.given(i) {
				break
			}
			latest[r.Call] = i
			switch r.Code {
			case "ask":
				answered(r.Call)
				open[r.Call] = i
				batch[c.attemptOf(r.Call)]++
			case "approved", "rejected", "cancelled":
				if _, ok := open[r.Call]; !ok {
					blame(i, "the approval of call %s was answered (%s), but no record before says that anybody was asked: they were asked before that was recorded", r.Call, r.Code)
				}
				answered(r.Call)
			}
		case journal.KindStarted:
			k := c.callBy[r.Call]
			if c.given(i) || len(open) == 0 && len(latest) == 0 {
				break
			}
			if at, ok := latest[r.Call]; ok && c.recs[at].Code != "allow" && c.recs[at].Code != "approved" {
				blame(i, "%s was started for call %s without a yes: the last word on it is %s (record %d)", k.named(), r.Call, c.recs[at].Code, c.recs[at].Seq)
			} else if batch[c.attemptOf(r.Call)] > 0 {
				blame(i, "%s was started for call %s while the approval of a call of the same answer was open", k.named(), r.Call)
			}
		}
	}
	return out
}

// attemptOf is the attempt whose answer made the call.
func (c *Case) attemptOf(id string) string {
	if k := c.callBy[id]; k != nil && k.rec >= 0 {
		return c.recs[k.rec].Attempt
	}
	return ""
}
