package scenarios

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/internal/near"
)

// damage is one `damage` line: what a broken disk, a crash or a person did to
// a file between two lives.
type damage struct {
	file     string // transcript, audit, head or effects
	line     int    // 0: the file's end
	op       string // nul, drop, edit, cut, append
	n        int    // cut
	from, to string // edit
	text     string // append
}

var damageFiles = []string{"transcript", "audit", "head", "effects"}

// parseDamage reads FILE line=N nul|drop, FILE line=N from=T to=T, FILE cut=N,
// FILE append=T.
func parseDamage(args []string) (damage, error) {
	d := damage{file: args[0]}
	if !slices.Contains(damageFiles, d.file) {
		return d, fmt.Errorf("%s", near.Unknown("file", d.file, damageFiles))
	}
	usage := fmt.Errorf("damage %s takes line=N nul, line=N drop, line=N from=T to=T, cut=N or append=T", d.file)
	set := func(op string) error {
		if d.op != "" && d.op != op {
			return usage
		}
		d.op = op
		return nil
	}
	for _, w := range args[1:] {
		k, v, isKV := strings.Cut(w, "=")
		var err error
		switch {
		case isKV && k == "line":
			d.line, err = parseNatural("line", v, 1)
		case !isKV && (w == "nul" || w == "drop"):
			err = set(w)
		case isKV && k == "from":
			d.from, err = v, set("edit")
		case isKV && k == "to":
			d.to, err = v, set("edit")
		case isKV && k == "cut":
			if err = set("cut"); err == nil {
				d.n, err = parseNatural("cut", v, 1)
			}
		case isKV && k == "append":
			d.text, err = v, set("append")
			if t, e := strconv.Unquote(v); e == nil && strings.HasPrefix(v, `"`) {
				d.text = t
			}
		default:
			err = usage
		}
		if err != nil {
			return d, err
		}
	}
	atLine := d.op == "nul" || d.op == "drop" || d.op == "edit"
	if d.op == "" || atLine != (d.line > 0) || d.op == "edit" && d.from == "" || d.op == "append" && d.text == "" {
		return d, usage
	}
	return d, nil
}

// apply returns the damaged bytes, or why there is nothing to damage: damage
// that changes nothing would prove nothing.
func (d *damage) apply(data []byte) ([]byte, error) {
	switch d.op {
	case "append":
		return append(slices.Clone(data), d.text...), nil
	case "cut":
		if d.n > len(data) {
			return nil, fmt.Errorf("%s has %d bytes: it cannot lose %d", d.file, len(data), d.n)
		}
		return slices.Clone(data[:len(data)-d.n]), nil
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	if n := len(lines); n > 0 && len(lines[n-1]) == 0 {
		lines = lines[:n-1]
	}
	if d.line > len(lines) {
		return nil, fmt.Errorf("%s has %d lines: there is no line %d", d.file, len(lines), d.line)
	}
	old := lines[d.line-1]
	var neu []byte
	switch d.op {
	case "nul":
		neu = append(make([]byte, len(bytes.TrimSuffix(old, []byte("\n")))), old[len(bytes.TrimSuffix(old, []byte("\n"))):]...)
	case "edit":
		neu = bytes.Replace(old, []byte(d.from), []byte(d.to), 1)
		if bytes.Equal(neu, old) {
			return nil, fmt.Errorf("line %d of %s does not contain %q, or the change is none", d.line, d.file, d.from)
		}
	}
	out := make([]byte, 0, len(data)+len(neu))
	for i, l := range lines {
		if i == d.line-1 {
			l = neu
		}
		out = append(out, l...)
	}
	return out, nil
}
