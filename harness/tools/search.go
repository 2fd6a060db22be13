package tools

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// SearchTool is the name of the tool that finds deferred tools.
const SearchTool = "tool_search"

const maxFound = 10

// DeferredRefusal refuses a call of a deferred tool that the model was not
// shown: it guessed the input, and nothing runs on a guess (C12).
func DeferredRefusal(name string) *Refusal {
	return &Refusal{Code: CodeDeferred, Sentence: fmt.Sprintf(
		`%s is not available yet, because you have not seen what it takes. Call %s with {"query":%s} first, and then call it again.`,
		line(name, 64), SearchTool, strconv.Quote(line(name, 64)))}
}

// addSearch adds tool_search where it is needed and not there.
func (r *Registry) addSearch() error {
	var deferred []string
	for n, e := range r.entries {
		if e.tool.Deferred {
			deferred = append(deferred, n)
		}
	}
	if len(deferred) == 0 || r.entries[SearchTool] != nil {
		return nil
	}
	slices.Sort(deferred)
	t := Tool{
		Name: SearchTool,
		Description: "Finds tools that are there but not listed, by words of their names and descriptions, and makes them available. " +
			"Name what you want to do, or a tool. These can be found: " + some(deferred, 50) + ".",
		Schema:     `{"type":"object","properties":{"query":{"type":"string","minLength":1,"description":"words, or a tool's name"}},"required":["query"],"additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Run:        r.runSearch,
	}
	var s schema
	if r.search != nil {
		s = r.search.schema
	} else {
		var err error
		if s, err = compile(t.Name, t.Schema); err != nil {
			return fmt.Errorf("tool %s: %w", t.Name, err)
		}
	}
	e := newEntry(t, s)
	r.search, r.entries[SearchTool] = e, e
	return nil
}

func (r *Registry) runSearch(_ context.Context, c Call) (Output, error) {
	in, err := decode[struct{ Query string }](c)
	if err != nil {
		return Output{}, err
	}
	found := r.find(in.Query)
	if len(found) == 0 {
		return Output{Text: r.miss(in.Query)}, nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Found %s, available from now on:\n", count(len(found), "tool"))
	room := room(c)
	for _, n := range found {
		t := &r.entries[n].tool
		whole := fmt.Sprintf("\n%s: %s\nIt takes: %s\n", n, t.Description, t.Schema)
		if b.Len()+len(whole) > room {
			whole = fmt.Sprintf("\n%s: too long to show here\n", n)
		}
		b.WriteString(whole)
	}
	return Output{Text: b.String(), Names: found}, nil
}

// miss says that nothing was found: nothing is made available.
func (r *Registry) miss(query string) string {
	text := fmt.Sprintf("No tool matches %s, and nothing was made available.", strconv.Quote(line(query, 80)))
	if e := r.entries[strings.TrimSpace(query)]; e != nil {
		text = fmt.Sprintf("%s is available already: call it.", e.tool.Name)
	}
	var deferred []string
	for _, n := range r.names {
		if r.entries[n].tool.Deferred {
			deferred = append(deferred, n)
		}
	}
	return text + " These can be found: " + some(deferred, 50) + "."
}

// find returns the deferred tools that match a query, best first and then by
// name, at most maxFound.
func (r *Registry) find(query string) []string {
	type hit struct {
		name string
		rank int
	}
	var hits []hit
	name, words := strings.TrimSpace(query), slices.DeleteFunc(wordsOf(query), func(w string) bool { return slices.Contains(filler[:], w) })
	for _, n := range r.names { // sorted, and the sort below is stable
		t := &r.entries[n].tool
		if !t.Deferred {
			continue
		}
		rank := 0
		if strings.EqualFold(n, name) {
			rank = 1000
		}
		inName, inText := wordsOf(n), wordsOf(t.Description)
		for _, w := range words {
			switch {
			case slices.ContainsFunc(inName, func(o string) bool { return akin(w, o) }):
				rank += 10
			case slices.ContainsFunc(inText, func(o string) bool { return akin(w, o) }):
				rank++
			}
		}
		if rank > 0 {
			hits = append(hits, hit{n, rank})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return b.rank - a.rank })
	var out []string
	for _, h := range hits[:min(len(hits), maxFound)] {
		out = append(out, h.name)
	}
	return out
}

// filler are words that every description holds and no query means.
var filler = [...]string{
	"a", "an", "and", "any", "are", "as", "at", "be", "by", "can", "do", "for", "from", "how", "i", "in", "into", "is", "it", "me", "my",
	"need", "not", "of", "on", "or", "some", "something", "that", "the", "this", "to", "tool", "tools", "use", "want", "what", "with", "you", "your",
}

func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// akin reports whether two words are one, but for an ending.
func akin(a, b string) bool {
	const stem = 4
	return a == b || min(len(a), len(b)) >= stem && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
}

// some lists at most n names.
func some(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
