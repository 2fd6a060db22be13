package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/providers"
)

// Registry is a fixed set of tools: the single source of what is advertised
// and of what can run (C1). It may be used by several tasks at once.
type Registry struct {
	names   []string // sorted
	entries map[string]*entry
	search  *entry // the tool_search that is there by itself, or was in a registry that this one is derived from
	print   string
}

// entry is one tool, and its input's schema ready for use.
type entry struct {
	tool   Tool // Schema compacted
	schema schema
	print  string // one line of the fingerprint
}

var legalName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// NewRegistry makes a registry of the given tools. It refuses, in one error
// that names them all: a name that is empty, illegal or used twice, a tool
// without Run, and a schema that is not a valid JSON Schema of an object.
// Schemas are compiled once, as draft 2020-12 unless they name another; "format"
// is not checked. Nothing is ever loaded for a $ref: it may point into the same
// schema only.
//
// Where a tool is Deferred and none is called tool_search, there is one by
// itself (C12).
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{entries: make(map[string]*entry, len(tools))}
	if err := r.add(tools); err != nil {
		return nil, err
	}
	return r, nil
}

// With returns a registry that holds the given tools, too. A tool that is
// there already wins over a given one of its name: who asks for a replacement
// of a built-in one registers it first. Schemas that are compiled are shared.
func (r *Registry) With(tools ...Tool) (*Registry, error) {
	d := &Registry{entries: make(map[string]*entry, len(r.entries)+len(tools)), search: r.search}
	for n, e := range r.entries {
		if e != r.search {
			d.entries[n] = e
		}
	}
	var fresh []Tool
	for _, t := range tools {
		if d.entries[t.Name] == nil {
			fresh = append(fresh, t)
		}
	}
	if len(fresh) == 0 {
		return r, nil
	}
	if err := d.add(fresh); err != nil {
		return nil, err
	}
	return d, nil
}

// add checks and compiles tools, and finishes the registry.
func (r *Registry) add(tools []Tool) error {
	var errs []error
	for i, t := range tools {
		if !legalName.MatchString(t.Name) {
			errs = append(errs, fmt.Errorf("tool %d: the name %s is not legal: use 1 to 64 letters, digits, _ or -", i+1, strconv.Quote(line(t.Name, 80))))
			continue
		}
		if r.entries[t.Name] != nil {
			errs = append(errs, fmt.Errorf("tool %s is registered twice: give one of them another name", t.Name))
			continue
		}
		if t.Run == nil {
			errs = append(errs, fmt.Errorf("tool %s has no Run function: it could be advertised and not executed", t.Name))
			continue
		}
		s, err := compile(t.Name, t.Schema)
		if err != nil {
			errs = append(errs, fmt.Errorf("tool %s: %w", t.Name, err))
			continue
		}
		r.entries[t.Name] = newEntry(t, s)
	}
	if err := r.addSearch(); err != nil {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	r.names = slices.Sorted(maps.Keys(r.entries))
	r.print = r.fingerprint()
	return nil
}

// Advertise returns the tools as a request carries them, without the deferred
// ones, sorted by name: the order in which they were registered must not change
// a prompt. The slice is the caller's own.
func (r *Registry) Advertise() []providers.Tool { return r.AdvertiseWith(nil) }

// AdvertiseWith returns what Advertise does, and the deferred tools that are
// named. Other names mean nothing here: a session may have revealed tools that
// are gone since.
func (r *Registry) AdvertiseWith(revealed []string) []providers.Tool {
	out := make([]providers.Tool, 0, len(r.names))
	for _, n := range r.names {
		t := &r.entries[n].tool
		if t.Deferred && !slices.Contains(revealed, n) {
			continue
		}
		out = append(out, providers.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema})
	}
	return out
}

// Lookup returns a copy of the named tool. Changing it changes nothing here.
func (r *Registry) Lookup(name string) (*Tool, bool) {
	e := r.entries[name]
	if e == nil {
		return nil, false
	}
	t := e.tool
	return &t, true
}

// Names returns the tools' names, sorted.
func (r *Registry) Names() []string { return slices.Clone(r.names) }

// Fingerprint identifies what the tools are: names, descriptions, schemas
// (whatever the order of their keys) and the flags that the loop decides by.
// It is the same in every process.
func (r *Registry) Fingerprint() string { return r.print }

func (r *Registry) fingerprint() string {
	h := sha256.New()
	for _, n := range r.names {
		h.Write([]byte(r.entries[n].print))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// newEntry finishes a tool whose schema is compiled.
func newEntry(t Tool, s schema) *entry {
	t.Schema = s.text
	canonical := jsontext.Value(s.text).Clone()
	if err := canonical.Canonicalize(); err != nil { // it was valid JSON a moment ago
		canonical = jsontext.Value(s.text)
	}
	return &entry{t, s, fmt.Sprintf("%q %q %q %t\n", t.Name, t.Description, string(canonical), []bool{
		t.ReadOnly, t.Idempotent, t.Deferred, t.Background, t.Shell, t.StopsSiblings, t.Compacts,
	})}
}

// Refusal says why a call must not run.
type Refusal struct {
	Code     string // CodeUnknownTool, CodeInvalid, CodeDeferred or CodeCircuit
	Reason   string // with CodeInvalid: one of the Reason constants
	Sentence string // for the model: what is wrong and what would be right
}

// Error makes a Refusal usable as an error.
func (r *Refusal) Error() string { return r.Sentence }

// Validate checks a call before anything runs; nil means that it may. The
// input must be exactly one JSON object that fits the tool's schema: nothing
// is repaired, guessed or converted (C2, C3). See Closed for empty input.
func (r *Registry) Validate(name string, input []byte) *Refusal {
	e := r.entries[name]
	if e == nil {
		return &Refusal{Code: CodeUnknownTool, Sentence: unknown(name, r.names)}
	}
	v, reason, why := parse(input)
	if reason == "" {
		if why = e.schema.check(v); why == "" {
			return nil
		}
		reason = ReasonSchema
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The input of %s %s. ", name, why)
	b.WriteString(e.schema.usage)
	if reason == ReasonNotJSON {
		b.WriteString(e.schema.suggest(input))
	}
	return &Refusal{Code: CodeInvalid, Reason: reason, Sentence: b.String()}
}
