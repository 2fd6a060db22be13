package scenarios

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// callRef names a call by the id that the script gave it: every call with that
// id, or the N-th of them (ID#N). The same id may come twice: in a later turn,
// or in an attempt that was discarded.
type callRef struct {
	id string
	n  int // from 1; 0: any
}

func parseCallRef(s string) (callRef, error) {
	id, num, ok := strings.Cut(s, "#")
	if !ok {
		return callRef{id: s}, nil
	}
	n, err := strconv.Atoi(num)
	if err != nil || n < 1 || id == "" {
		return callRef{}, fmt.Errorf("%q is not a call: write ID, or ID#N for the N-th call with that id, N from 1", s)
	}
	return callRef{id, n}, nil
}

func (r callRef) String() string {
	if r.n == 0 {
		return r.id
	}
	return r.id + "#" + strconv.Itoa(r.n)
}

// matches reports whether the n-th call with the given script id is meant.
func (r callRef) matches(id string, n int) bool { return r.id == id && (r.n == 0 || r.n == n) }

// count is an expected number: exactly lo, or lo..hi.
type count struct{ lo, hi int }

func parseCount(s string) (count, error) {
	lo, hi, isRange := strings.Cut(s, "..")
	c := count{}
	var err error
	if c.lo, err = strconv.Atoi(lo); err == nil {
		c.hi = c.lo
		if isRange {
			if hi == "" {
				c.hi = math.MaxInt
			} else {
				c.hi, err = strconv.Atoi(hi)
			}
		}
	}
	if err != nil || c.lo < 0 {
		return c, fmt.Errorf("%q is not a number: write N or A..B", s)
	}
	if c.hi < c.lo {
		return c, fmt.Errorf("%q is empty: write the smaller number first", s)
	}
	return c, nil
}

func (c count) holds(n int) bool { return c.lo <= n && n <= c.hi }

func (c count) String() string {
	switch c.hi {
	case c.lo:
		return strconv.Itoa(c.lo)
	case math.MaxInt:
		return fmt.Sprintf("%d..", c.lo)
	}
	return fmt.Sprintf("%d..%d", c.lo, c.hi)
}

// span is an expected duration: exactly lo, or lo..hi.
type span struct{ lo, hi time.Duration }

func parseSpan(s string) (span, error) {
	lo, hi, isRange := strings.Cut(s, "..")
	var d span
	var err error
	if d.lo, err = parseDuration(lo); err != nil {
		return d, err
	}
	d.hi = d.lo
	if isRange {
		d.hi = math.MaxInt64
		if hi != "" {
			if d.hi, err = parseDuration(hi); err != nil {
				return d, err
			}
		}
	}
	if d.hi < d.lo {
		return d, fmt.Errorf("%q is empty: write the shorter time first", s)
	}
	return d, nil
}

func (s span) holds(d time.Duration) bool { return s.lo <= d && d <= s.hi }

func (s span) String() string {
	switch s.hi {
	case s.lo:
		return s.lo.String()
	case math.MaxInt64:
		return s.lo.String() + ".."
	}
	return s.lo.String() + ".." + s.hi.String()
}

func parseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("%q is not a duration: write a number with a unit, such as 500ms, 2s or 1m", s)
	}
	return d, nil
}

// parseSize reads N, NKB or NMB; a KB is 1000 bytes.
func parseSize(s string) (int, error) {
	num, unit := s, 1
	for suffix, u := range map[string]int{"KB": 1000, "MB": 1000_000} {
		if n, ok := strings.CutSuffix(s, suffix); ok {
			num, unit = n, u
		}
	}
	n, err := strconv.Atoi(num)
	if err != nil || n < 0 || n > 1<<30/unit {
		return 0, fmt.Errorf("%q is not a size: write a number of bytes, or one with KB or MB (1000 bytes, 1000 KB)", s)
	}
	return n * unit, nil
}

// parseNatural reads a whole number from min on.
func parseNatural(what, s string, min int) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < min {
		return 0, fmt.Errorf("%s is %q: write a whole number from %d on", what, s, min)
	}
	return n, nil
}

// keyValue cuts KEY=VALUE.
func keyValue(s string) (string, string, error) {
	k, v, ok := strings.Cut(s, "=")
	if !ok || k == "" {
		return "", "", fmt.Errorf("%q is not KEY=VALUE", s)
	}
	return k, v, nil
}
