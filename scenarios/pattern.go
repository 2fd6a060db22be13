package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/near"
)

// item is one event of a list that `events` looks at.
type item struct {
	kind string
	ids  []string // every name that KIND:ID may use for it
	line string   // its JSON, for ~RE
}

// pattern matches one item, or any run of them.
type pattern struct {
	text string
	any  bool // "..."
	kind string
	id   string
	re   *regexp.Regexp
}

// sources of `events`.
var eventSources = []string{"transcript", "audit", "shown", "effects", "wire", "hooks"}

// parsePatterns reads the patterns of one source.
func parsePatterns(source string, args []string) ([]pattern, error) {
	if !slices.Contains(eventSources, source) {
		return nil, fmt.Errorf("%s", near.Unknown("event source", source, eventSources))
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("events %s needs patterns: KIND[:ID][~RE] or ..., or none for an empty list", source)
	}
	if len(args) == 1 && args[0] == "none" {
		return nil, nil
	}
	var ps []pattern
	for _, w := range args {
		p := pattern{text: w}
		if w == "..." {
			p.any = true
			ps = append(ps, p)
			continue
		}
		head, re, hasRE := strings.Cut(w, "~")
		p.kind, p.id, _ = strings.Cut(head, ":")
		if hasRE {
			var err error
			if p.re, err = regexp.Compile(re); err != nil {
				return nil, fmt.Errorf("%q is not a regular expression: %v", re, err)
			}
		}
		if err := checkKind(source, p); err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func checkKind(source string, p pattern) error {
	switch source {
	case "transcript", "audit":
		if !slices.Contains(journal.Kinds(), journal.Kind(p.kind)) {
			return fmt.Errorf("%s", near.Unknown("record kind", p.kind, kindNames()))
		}
	case "shown":
		if p.kind != "preview" && !slices.Contains(journal.Kinds(), journal.Kind(p.kind)) {
			return fmt.Errorf("%s", near.Unknown("record kind", p.kind, append(kindNames(), "preview")))
		}
	case "hooks":
		if !slices.Contains(hookPoints, p.kind) {
			return fmt.Errorf("%s", near.Unknown("hook point", p.kind, hookPoints))
		}
		if p.id != "" && !slices.Contains(outcomeNames(), p.id) {
			return fmt.Errorf("%s", near.Unknown("hook outcome", p.id, outcomeNames()))
		}
	case "wire":
		if !slices.Contains(lanes, p.kind) {
			return fmt.Errorf("%s", near.Unknown("lane", p.kind, lanes))
		}
		if p.id != "" {
			if _, err := strconv.Atoi(p.id); err != nil {
				return fmt.Errorf("%q is not a status: events wire takes LANE[:STATUS]", p.id)
			}
		}
	}
	return nil
}

func (p pattern) matches(it item) bool {
	return p.kind == it.kind && (p.id == "" || slices.Contains(it.ids, p.id)) && (p.re == nil || p.re.MatchString(it.line))
}

// matchAll reports whether the patterns describe the whole list. When they do
// not, the patterns before number pattern can be placed, at the earliest so
// that items items are used up, and pattern cannot (pattern == len(ps): items
// are left over).
func matchAll(ps []pattern, list []item) (ok bool, items, pattern int) {
	// reach[i] is whether the patterns so far can end after i items.
	reach := make([]bool, len(list)+1)
	reach[0] = true
	for k, p := range ps {
		next := make([]bool, len(list)+1)
		some := false
		for i := range reach {
			if p.any {
				next[i] = reach[i] || i > 0 && next[i-1]
			} else {
				next[i] = i > 0 && reach[i-1] && p.matches(list[i-1])
			}
			some = some || next[i]
		}
		if !some {
			return false, firstTrue(reach), k
		}
		reach = next
	}
	if reach[len(list)] {
		return true, len(list), len(ps)
	}
	return false, firstTrue(reach), len(ps)
}

func firstTrue(b []bool) int {
	for i := range b {
		if b[i] {
			return i
		}
	}
	return 0
}
