package tools

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/harnessbench/bench/internal/cut"
)

const (
	maxMatches  = 500
	maxSearched = 16 << 20 // bytes of the largest file that is searched
	maxExcerpt  = 300      // bytes shown of a matching line
)

func (w *Workspace) grep() Tool {
	return Tool{
		Name: "grep",
		Description: "Searches the text files of the workspace for lines that match a regular expression (RE2: no look-around, no " +
			"back-references). Returns path:line: text, sorted. Binary files and .git are left out.",
		Schema: `{"type":"object","properties":{
			"pattern":{"type":"string","minLength":1,"description":"the regular expression"},
			"path":{"type":"string","description":"the folder or file to search; default: the whole workspace"},
			"glob":{"type":"string","description":"search only files that match, e.g. *.go or src/**/*.ts"},
			"ignore_case":{"type":"boolean"}},
			"required":["pattern"],"additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Run:        w.runGrep,
	}
}

func (w *Workspace) runGrep(ctx context.Context, c Call) (Output, error) {
	in, err := decode[struct {
		Pattern, Path, Glob string
		IgnoreCase          bool `json:"ignore_case"`
	}](c)
	if err != nil {
		return Output{}, err
	}
	expr := in.Pattern
	if in.IgnoreCase {
		expr = "(?i)" + expr
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return Output{}, failf(CodeInvalid, "The pattern %s is not a valid regular expression: %s. The syntax is RE2; write \\ before a character that stands for itself.", show(in.Pattern), wrong(err))
	}
	base := "."
	if in.Path != "" {
		if base, err = w.local(in.Path); err != nil {
			return Output{}, err
		}
	}
	info, err := w.root.Stat(base)
	if err != nil {
		return Output{}, w.explain(err, base)
	}
	match := func(string) bool { return true }
	if in.Glob != "" {
		m, err := newMatcher(in.Glob)
		if err != nil {
			return Output{}, err
		}
		match = func(name string) bool {
			return m.match(below(base, name)) || !strings.Contains(in.Glob, "/") && m.match(path.Base(name))
		}
	}
	names, all := []string{base}, true
	if info.IsDir() {
		if names, all, err = w.files(ctx, base, match); err != nil {
			return Output{}, err
		}
	} else if err := regular(info, base); err != nil {
		return Output{}, err
	}

	s := &search{re: re, room: room(c)}
	for _, n := range names {
		if ctx.Err() != nil {
			return Output{Text: s.out.String()}, ctx.Err()
		}
		data, err := w.readAll(n, maxSearched)
		if err != nil {
			s.skipped++
			continue
		}
		if !s.file(n, data) {
			break
		}
	}
	switch {
	case s.full:
		s.out.WriteString("(there are more matches: use a narrower pattern, path or glob)\n")
	case s.found == 0:
		s.out.WriteString("(no matches)\n")
	}
	if s.skipped > 0 {
		fmt.Fprintf(&s.out, "(%s not searched: too large, or not readable)\n", count(s.skipped, "file"))
	}
	if !all {
		fmt.Fprintf(&s.out, "(only the first %d files and folders were searched: use a narrower path)\n", maxVisited)
	}
	return Output{Text: s.out.String()}, nil
}

// wrong is what a regular expression's error says, without its prefix.
func wrong(err error) string {
	return line(strings.TrimPrefix(err.Error(), "error parsing regexp: "), 200)
}

// search collects matching lines.
type search struct {
	re      *regexp.Regexp
	room    int
	out     strings.Builder
	found   int
	skipped int
	full    bool
}

// file searches one file; false means that enough was found.
func (s *search) file(name string, data []byte) bool {
	if bytes.IndexByte(data[:min(sniffed, len(data))], 0) >= 0 {
		return true
	}
	for n := 1; len(data) > 0; n++ {
		text, rest, _ := bytes.Cut(data, []byte("\n"))
		data = rest
		text = bytes.TrimSuffix(text, []byte("\r"))
		at := s.re.FindIndex(text)
		if at == nil {
			continue
		}
		next := fmt.Sprintf("%s:%d: %s\n", show(name), n, excerpt(string(text), at[0]))
		if s.found == maxMatches || s.found > 0 && s.out.Len()+len(next) > s.room {
			s.full = true
			return false
		}
		s.found++
		s.out.WriteString(next)
	}
	return true
}

// excerpt shows a long line from shortly before the match.
func excerpt(text string, at int) string {
	if len(text) <= maxExcerpt {
		return text
	}
	from := max(at-maxExcerpt/4, 0)
	if from == 0 {
		return cut.Head(text, maxExcerpt) + "..."
	}
	rest := cut.Tail(text, len(text)-from)
	if len(rest) <= maxExcerpt {
		return "..." + rest
	}
	return "..." + cut.Head(rest, maxExcerpt) + "..."
}
