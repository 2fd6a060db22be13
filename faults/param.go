package faults

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/harnessbench/bench/internal/near"
)

var name = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// Param is one KEY=VALUE of a fault.
type Param struct {
	Name    string
	Default string // "": it must be given, unless Says tells otherwise
	Says    string // what it is, with its bounds
	form    form
	free    bool // may be left out, and is "" then
}

// form is what a value must be.
type form interface{ check(value string) error }

// A number from lo to hi. Events and the like are counted from 1, and from -1
// backwards where lo is negative.
type numbers struct{ lo, hi int }

func (k numbers) check(v string) error {
	n, err := strconv.Atoi(v)
	switch {
	case err != nil || n < k.lo || n > k.hi:
		return fmt.Errorf("%q is no whole number from %d to %d", v, k.lo, k.hi)
	case n == 0 && k.lo < 0:
		return fmt.Errorf("0 is no place: count from 1, or from -1 backwards")
	}
	return nil
}

type sizes struct{ lo, hi int }

func (k sizes) check(v string) error {
	n, err := parseSize(v)
	if err != nil {
		return err
	}
	if n < k.lo || n > k.hi {
		return fmt.Errorf("%s is not from %d to %d bytes", v, k.lo, k.hi)
	}
	return nil
}

// parseSize reads N, NKB or NMB; a KB is 1000 bytes.
func parseSize(s string) (int, error) {
	num, unit := s, 1
	if n, ok := strings.CutSuffix(s, "KB"); ok {
		num, unit = n, 1000
	} else if n, ok := strings.CutSuffix(s, "MB"); ok {
		num, unit = n, 1000_000
	}
	n, err := strconv.Atoi(num)
	if err != nil || n < 0 || n > 1<<30/unit {
		return 0, fmt.Errorf("%q is no size: write a number of bytes, or one with KB or MB", s)
	}
	return n * unit, nil
}

// maxWait bounds a wait: a year, as in a reply script.
const maxWait = 365 * 24 * time.Hour

// A duration of at least lo, in whole steps of lo if it is one of a clock that
// counts no finer.
type durations struct {
	lo    time.Duration
	whole bool
}

func (k durations) check(v string) error {
	d, err := time.ParseDuration(v)
	if err != nil || d < k.lo || d > maxWait {
		example := "250ms"
		if k.whole {
			example = "30s"
		}
		return fmt.Errorf("%q is no duration from %s to a year, as in %s or 1m30s", v, k.lo, example)
	}
	if k.whole && d%k.lo != 0 {
		return fmt.Errorf("%s cannot be said: the header counts in steps of %s", v, k.lo)
	}
	return nil
}

type words []string

func (k words) check(v string) error {
	if !slices.Contains(k, v) {
		return fmt.Errorf("%s", near.Unknown("value", v, k))
	}
	return nil
}

// texts are values that can stand in a header or a JSON string.
type texts struct{ most int }

func (k texts) check(v string) error {
	if len(v) > k.most {
		return fmt.Errorf("it is longer than %d bytes", k.most)
	}
	for _, c := range v {
		if c < ' ' || c == 0x7f {
			return fmt.Errorf("%q has a control character", v)
		}
	}
	return nil
}

// strangers are texts that are none of those that are known.
type strangers struct {
	texts
	known []string
}

func (k strangers) check(v string) error {
	if slices.ContainsFunc(k.known, func(w string) bool { return strings.EqualFold(w, v) }) {
		return fmt.Errorf("it is a word that is known: take one that no protocol has, as zzz_new")
	}
	return k.texts.check(v)
}

func number(name string, def, lo, hi int, says string) Param {
	return Param{Name: name, Default: strconv.Itoa(def), form: numbers{lo, hi}, Says: fmt.Sprintf("%s, from %d to %d", says, lo, hi)}
}

func size(name, def string, lo, hi int, says string) Param {
	return Param{Name: name, Default: def, form: sizes{lo, hi}, Says: fmt.Sprintf("%s, in bytes, KB or MB", says)}
}

func duration(name, def, says string) Param {
	return Param{Name: name, Default: def, form: durations{lo: time.Millisecond}, Says: says}
}

// seconds is a duration for a header that counts whole seconds.
func seconds(name, def, says string) Param {
	return Param{Name: name, Default: def, form: durations{time.Second, true}, Says: says + ", in whole seconds"}
}

func word(name, def, says string, list ...string) Param {
	return Param{Name: name, Default: def, form: words(list), Says: says + ": " + strings.Join(list, ", ")}
}

func text(name, def, says string) Param {
	return Param{Name: name, Default: def, form: texts{1000}, Says: says}
}

// eventAt is the place of an event in its stream.
func eventAt(def int) Param {
	return number("event", def, -mostEvents, mostEvents, "the event, counted over those with data, from the end if negative")
}

const mostEvents = 100_000

// needed makes a parameter one that must be given.
func needed(p Param) Param { p.Default = ""; return p }

// optional makes a parameter one that may be left out.
func optional(p Param) Param { p.Default, p.free = "", true; return p }

// Args are the parameters of a fault, as given or by default; all are checked.
type Args map[string]string

func (a Args) has(key string) bool { return a[key] != "" }

func (a Args) int(key string) int {
	n, _ := strconv.Atoi(a[key]) // checked with the line
	return n
}

func (a Args) bytes(key string) int {
	n, _ := parseSize(a[key])
	return n
}

func (a Args) duration(key string) time.Duration {
	d, _ := time.ParseDuration(a[key])
	return d
}
