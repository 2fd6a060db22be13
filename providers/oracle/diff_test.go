package oracle

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// difference is one field of a turn in which two readers differ.
type difference struct {
	field     string
	want, got any
}

func (d difference) String() string {
	return fmt.Sprintf("%s: want of the SDK, by the codec and the kinds,\n\t%+v\ngot\n\t%+v", d.field, d.want, d.got)
}

// differences are those of two turns. Of an answer that failed for both, only the
// type of the error counts: what came before it is not used.
func differences(a, b *turn) (out []difference) {
	x, y := reflect.ValueOf(*a), reflect.ValueOf(*b)
	for i := range x.NumField() {
		f := x.Type().Field(i)
		if !f.IsExported() || f.Name != "End" && (a.ended || a.End != b.End && (a.End == failed || b.End == failed)) {
			continue
		}
		v, w := x.Field(i), y.Field(i)
		if v.Kind() == reflect.Slice && v.Len() == 0 && w.Len() == 0 {
			continue
		}
		if !reflect.DeepEqual(v.Interface(), w.Interface()) {
			out = append(out, difference{f.Name, v.Interface(), w.Interface()})
		}
	}
	return out
}

// expect is what the SDK should make of an answer: what the codec makes of it, and
// what the kinds of difference change in that. met are the kinds that changed it.
func expect(list []kind, api api, body string) (t *turn, met []string) {
	t = ours(api, body)
	changed := map[string]bool{}
	for _, k := range list {
		if k.sees == nil || !slices.Contains(k.apis, api) {
			continue
		}
		if seen := k.sees(body); seen != body {
			if u := ours(api, seen); !same(u, t) {
				t, body = u, seen
				changed[k.name] = true
			}
		}
	}
	for _, k := range list {
		if k.reads == nil || t.ended || !slices.Contains(k.apis, api) {
			continue
		}
		before := *t
		before.Calls, before.Texts = slices.Clone(t.Calls), slices.Clone(t.Texts)
		if k.reads(t, body); !same(t, &before) {
			changed[k.name] = true
		}
	}
	return t, slices.Sorted(maps.Keys(changed))
}

func same(a, b *turn) bool {
	x, y := *a, *b
	x.why, y.why = "", ""
	return reflect.DeepEqual(x, y)
}
