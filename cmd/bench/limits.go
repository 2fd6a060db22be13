package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"unicode"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/journal"
)

// limitOf says how often a rung may be used, within what, and by which fields
// of Limits. The loop is asked, so that nothing here can be out of date: the
// field whose change changes the limit is the one that sets it.
func limitOf(r harness.Rung) string {
	d := harness.Limits{}.Resolve()
	n := r.Limit(d)
	var by []string
	eachLimit(&d, func(name string, v reflect.Value) {
		if !v.CanInt() {
			return
		}
		was := v.Int()
		for _, other := range []int64{0, was + 1} {
			if v.SetInt(other); r.Limit(d) != n {
				by = append(by, fmt.Sprintf("%s=%d", name, was))
				break
			}
		}
		v.SetInt(was)
	})
	s := fmt.Sprintf("%d %s", n, within(r))
	if len(by) > 0 {
		s += " by default (" + strings.Join(by, ", ") + ")"
	}
	return s
}

// within is what a rung's limit is for: when what was used counts from zero again.
func within(r harness.Rung) string {
	var used harness.State
	v := reflect.ValueOf(&used.Counters).Elem()
	for i := range v.NumField() {
		v.Field(i).SetInt(1)
	}
	switch {
	case r.Used(harness.Apply(used, &journal.Record{Kind: journal.KindAssistant})) == 0 && r.Used(used) > 0:
		return "a request"
	case r.Used(harness.Apply(used, &journal.Record{Kind: journal.KindTransition, Reason: string(harness.NextTurn)})) == 0:
		return "a turn"
	}
	return "a run"
}

// defaultsIn are the defaults of all limits that a text names.
func defaultsIn(text string) string {
	d := harness.Limits{}.Resolve()
	var out []string
	eachLimit(&d, func(name string, v reflect.Value) {
		if regexp.MustCompile(`\b` + name + `\b`).MatchString(text) {
			out = append(out, fmt.Sprintf("%s=%v", name, v.Interface()))
		}
	})
	return strings.Join(out, ", ")
}

// eachLimit visits the limits under the names that configurations use: the
// field's, in small letters with underscores.
func eachLimit(l *harness.Limits, visit func(name string, v reflect.Value)) {
	v := reflect.ValueOf(l).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() {
			continue
		}
		var b strings.Builder
		for k, r := range f.Name {
			if unicode.IsUpper(r) && k > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(unicode.ToLower(r))
		}
		visit(b.String(), v.Field(i))
	}
}
