package evidence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// Normalise prints a transcript for people and for goldens: one line a record,
// the blocks of an answer indented below it, without times, hashes, digests,
// fingerprints and the session's id. Two runs that did the same print the same.
//
//	1 session    model "m"
//	2 user       run 1 "append hello"
//	3 attempt    a1
//	4 assistant  a1 stop=tool_use
//	               text "I will."
//	               call t1 append {"file":"notes.txt","line":"hello"}
//	5 call       c1 t1 append {"file":"notes.txt","line":"hello"}
//
// A line that is no record is printed as what it is.
func Normalise(transcript []byte) []byte {
	var ev Evidence
	ev.Records, ev.RecordAt = load(&ev.Odd, TranscriptFile, transcript, `{"seq":`, journal.Parse)
	var b []byte
	odd := ev.Odd
	for i := range ev.Records {
		for len(odd) > 0 && odd[0].Off < ev.RecordAt[i].Off {
			b, odd = appendOdd(b, odd[0]), odd[1:]
		}
		r := &ev.Records[i]
		b = appendRecord(b, r)
		b = append(b, '\n')
		for j := range r.Blocks {
			b = append(b, "                  "...)
			b = append(appendBlock(b, &r.Blocks[j], goldenText), '\n')
		}
	}
	for _, o := range odd {
		b = appendOdd(b, o)
	}
	return b
}

// NormaliseAudit prints an audit ledger likewise: the record's number and
// kind, and why the step was allowed.
func NormaliseAudit(audit []byte) []byte {
	var odd []Odd
	entries, at := load(&odd, AuditFile, audit, `{"seq":`, journal.ParseEntry)
	var b []byte
	for i := range entries {
		for len(odd) > 0 && odd[0].Off < at[i].Off {
			b, odd = appendOdd(b, odd[0]), odd[1:]
		}
		b = fmt.Appendf(b, "%4d %-10s %s\n", entries[i].Seq, entries[i].Kind, entries[i].Why)
	}
	for _, o := range odd {
		b = appendOdd(b, o)
	}
	return b
}

func appendOdd(b []byte, o Odd) []byte {
	what := "   ? "
	if o.Torn {
		what = "   ~ "
	}
	return fmt.Appendf(b, "%sline %d: %s: %q\n", what, o.Line, o.Why, o.Text)
}

// Texts in goldens are long enough to tell two apart; in reports they are
// short enough to read.
const (
	goldenText = 400
	reportText = 80
)

// Describe prints one record as a person reads it, on one line and without
// times and hashes.
func Describe(r *journal.Record) string {
	b := appendFields(nil, r, reportText)
	for i := range r.Blocks {
		b = append(b, "; "...)
		b = appendBlock(b, &r.Blocks[i], reportText)
	}
	return strings.TrimRight(string(b), " ")
}

func appendRecord(b []byte, r *journal.Record) []byte {
	n := len(b)
	b = appendFields(b, r, goldenText)
	return append(b[:n], strings.TrimRight(string(b[n:]), " ")...)
}

// appendFields prints the fields of a record in one fixed order; each kind has
// only those that mean something.
func appendFields(b []byte, r *journal.Record, most int) []byte {
	b = fmt.Appendf(b, "%4d %-10s", r.Seq, r.Kind)
	word := func(s string) {
		if s != "" {
			b = append(append(b, ' '), plain(s)...)
		}
	}
	field := func(name, s string) {
		if s != "" {
			b = append(append(b, ' '), name+"="+plain(s)...)
		}
	}
	num := func(name string, n int) {
		if n != 0 {
			b = fmt.Appendf(b, " %s=%d", name, n)
		}
	}
	quoted := func(s string) {
		if s != "" {
			b = append(append(b, ' '), quote(s, most)...)
		}
	}
	if r.Kind == journal.KindUser {
		b = fmt.Appendf(b, " run %d", r.Run)
	}
	word(r.Attempt)
	word(r.Call)
	word(r.ID)
	word(r.Name)
	if r.Input != "" {
		b = append(append(b, ' '), input(r.Input, most)...)
	}
	word(string(r.State))
	word(r.Reason)
	word(r.Code)
	field("refused", r.Refused)
	if r.Lane != providers.LaneMain {
		field("lane", r.Lane)
	}
	field("model", r.Model)
	num("max_tokens", r.MaxTokens)
	num("block", r.Block)
	field("stop", r.Stop)
	field("ending", r.Ending)
	if u := r.Usage; u != nil {
		num("in", u.In)
		num("out", u.Out)
		num("cache_read", u.CacheRead)
		num("cache_write", u.CacheWrite)
	}
	num("turn", r.Turn)
	num("calls", r.Calls)
	names := make([]string, 0, len(r.Counters))
	for k := range r.Counters {
		names = append(names, k)
	}
	slices.Sort(names)
	for _, k := range names {
		b = fmt.Appendf(b, " %s=%d", plain(k), r.Counters[k])
	}
	num("life", r.Life)
	if r.From != 0 || r.To != 0 {
		b = fmt.Appendf(b, " hides=%d..%d", r.From, r.To-1)
	}
	num("names", len(r.Names))
	num("images", len(r.Images))
	num("bytes", r.Bytes)
	field("file", r.File)
	if r.IsError {
		b = append(b, " error"...)
	}
	num("cut", r.Cut)
	quoted(r.Detail)
	quoted(r.Text)
	return b
}

func appendBlock(b []byte, k *providers.Block, most int) []byte {
	b = append(b, k.Kind...)
	for _, s := range []string{k.ID, k.Name} {
		if s != "" {
			b = append(append(b, ' '), plain(s)...)
		}
	}
	if k.Input != "" {
		b = append(append(b, ' '), input(k.Input, most)...)
	}
	if k.Text != "" {
		b = append(append(b, ' '), quote(k.Text, most)...)
	}
	if k.Signature != "" {
		b = append(b, " signed"...)
	}
	if k.Raw != "" {
		b = append(append(b, ' '), input(k.Raw, most)...)
	}
	if len(k.Images) > 0 {
		b = fmt.Appendf(b, " images=%d", len(k.Images))
	}
	if k.IsError {
		b = append(b, " error"...)
	}
	if k.Open {
		b = append(b, " never closed"...)
	}
	return b
}

// plain is a word as it is, or quoted if it could be misread: ids come from a
// provider and may be anything.
func plain(s string) string {
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.#:/", c) >= 0) {
			return quote(s, goldenText)
		}
	}
	if s == "" {
		return `""`
	}
	return s
}

// input is a call's raw bytes: as they are where they are one readable line.
func input(s string, most int) string {
	if strings.HasPrefix(s, "{") && len(s) <= most && strconv.Quote(s) == `"`+strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`)+`"` {
		return s
	}
	return quote(s, most)
}

func quote(s string, most int) string {
	at := prefix(s, most)
	if len(at) == len(s) {
		return strconv.Quote(s)
	}
	return fmt.Sprintf("%s+%d bytes", strconv.Quote(at), len(s)-len(at))
}

// prefix is at most n bytes of s, not cut inside a rune.
func prefix(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for i := n; i > 0 && i > n-utf8.UTFMax; i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n]
}
