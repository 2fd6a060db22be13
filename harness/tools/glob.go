package tools

import (
	"context"
	"fmt"
	"path"
	"strings"
)

const (
	maxListed = 1000 // names that glob returns
	maxForms  = 64   // patterns that braces may expand into
)

func (w *Workspace) glob() Tool {
	return Tool{
		Name: "glob",
		Description: "Lists the files of the workspace whose path matches a pattern, sorted. * and ? match within one name, " +
			"** matches any number of folders, [a-z] a class, {a,b} alternatives. Example: **/*_test.go",
		Schema: `{"type":"object","properties":{
			"pattern":{"type":"string","description":"the pattern, relative to path"},
			"path":{"type":"string","description":"the folder to search; default: the whole workspace"}},
			"required":["pattern"],"additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Run:        w.runGlob,
	}
}

func (w *Workspace) runGlob(ctx context.Context, c Call) (Output, error) {
	in, err := decode[struct{ Pattern, Path string }](c)
	if err != nil {
		return Output{}, err
	}
	base := "."
	if in.Path != "" {
		if base, err = w.local(in.Path); err != nil {
			return Output{}, err
		}
	}
	pattern := in.Pattern
	if path.IsAbs(pattern) {
		if pattern, err = w.local(pattern); err != nil {
			return Output{}, err
		}
		base = "."
	}
	m, err := newMatcher(pattern)
	if err != nil {
		return Output{}, err
	}
	if err := w.folder(base); err != nil {
		return Output{}, err
	}
	names, all, err := w.files(ctx, base, func(name string) bool { return m.match(below(base, name)) })
	if err != nil && ctx.Err() == nil {
		return Output{}, err
	}
	var b strings.Builder
	room := room(c)
	for i, n := range names {
		if i == maxListed || b.Len()+len(n) > room {
			fmt.Fprintf(&b, "(and %s more: use a narrower pattern)\n", count(len(names)-i, "file"))
			break
		}
		b.WriteString(show(n) + "\n")
	}
	if !all && err == nil {
		fmt.Fprintf(&b, "(the search was given up after %d files and folders: use a narrower path)\n", maxVisited)
	}
	if err == nil && b.Len() == 0 {
		b.WriteString("(no files match)")
		if !strings.Contains(pattern, "/") {
			fmt.Fprintf(&b, "\n* does not match across folders: **/%s searches them all.", show(pattern))
		}
	}
	return Output{Text: b.String()}, err
}

// folder refuses a base that is not a folder.
func (w *Workspace) folder(name string) error {
	info, err := w.root.Stat(name)
	if err != nil {
		return w.explain(err, name)
	}
	if !info.IsDir() {
		return failf(CodeInvalid, "%s is not a folder. Give the folder to search, or read the file with read_file.", show(name))
	}
	return nil
}

// below returns name relative to the folder base.
func below(base, name string) string {
	if base == "." {
		return name
	}
	return strings.TrimPrefix(name, base+"/")
}

// matcher is a glob pattern; it matches when one of its forms does.
type matcher [][]string

func newMatcher(pattern string) (matcher, error) {
	forms, ok := expand(pattern)
	if !ok {
		return nil, failf(CodeInvalid, "The pattern %s has more than %d alternatives. Use fewer braces.", show(pattern), maxForms)
	}
	var m matcher
	for _, f := range forms {
		segs := strings.Split(path.Clean(f), "/")
		for _, s := range segs {
			if s == ".." {
				return nil, outside(pattern)
			}
			if _, err := path.Match(s, ""); err != nil || f == "" {
				return nil, failf(CodeInvalid, "The pattern %s is not valid. Use *, ?, **, [a-z] and {a,b}; write \\[ for a bracket.", show(pattern))
			}
		}
		m = append(m, segs)
	}
	return m, nil
}

func (m matcher) match(name string) bool {
	segs := strings.Split(name, "/")
	for _, form := range m {
		if matchSegments(form, segs) {
			return true
		}
	}
	return false
}

// matchSegments matches name against pattern, segment by segment; ** stands
// for any number of them. Only the last ** is ever taken back, so the work is
// at most pattern times name.
func matchSegments(pattern, name []string) bool {
	p, n := 0, 0
	star, from := -1, 0
	for n < len(name) {
		if p < len(pattern) && pattern[p] == "**" {
			star, from = p, n
			p++
			continue
		}
		if p < len(pattern) {
			if ok, _ := path.Match(pattern[p], name[n]); ok {
				p, n = p+1, n+1
				continue
			}
		}
		if star < 0 {
			return false
		}
		from++
		p, n = star+1, from
	}
	for p < len(pattern) && pattern[p] == "**" {
		p++
	}
	return p == len(pattern)
}

// expand writes out the braces of a pattern; ok is false when there are too
// many forms. A brace without its partner stands for itself.
func expand(pattern string) (forms []string, ok bool) {
	open, depth := -1, 0
	var commas []int
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '\\':
			i++
		case '{':
			if depth++; depth == 1 {
				open, commas = i, nil
			}
		case ',':
			if depth == 1 {
				commas = append(commas, i)
			}
		case '}':
			if depth == 0 {
				continue
			}
			if depth--; depth > 0 || len(commas) == 0 {
				continue
			}
			from := open + 1
			for _, to := range append(commas, i) {
				rest, ok := expand(pattern[:open] + pattern[from:to] + pattern[i+1:])
				forms = append(forms, rest...)
				if !ok || len(forms) > maxForms {
					return nil, false
				}
				from = to + 1
			}
			return forms, true
		}
	}
	return []string{pattern}, true
}
