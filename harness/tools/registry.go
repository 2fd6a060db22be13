package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
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
	print   string
}

// entry is one tool, and its input's schema ready for use.
type entry struct {
	tool   Tool // Schema compacted
	schema schema
}

var legalName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// NewRegistry makes a registry of the given tools. It refuses, in one error
// that names them all: a name that is empty, illegal or used twice, a tool
// without Run, and a schema that is not a valid JSON Schema of an object.
// Schemas are compiled once, as draft 2020-12 unless they name another; "format"
// is not checked. Nothing is ever loaded for a $ref: it may point into the same
// schema only.
func NewRegistry(tools ...Tool) (*Registry, error) {
	r := &Registry{entries: make(map[string]*entry, len(tools))}
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
		t.Schema = s.text
		r.entries[t.Name] = &entry{t, s}
		r.names = append(r.names, t.Name)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	slices.Sort(r.names)
	r.print = r.fingerprint()
	return r, nil
}

// Advertise returns the tools as a request carries them, sorted by name: the
// order in which they were registered must not change a prompt. The slice is
// the caller's own.
func (r *Registry) Advertise() []providers.Tool {
	out := make([]providers.Tool, len(r.names))
	for i, n := range r.names {
		t := &r.entries[n].tool
		out[i] = providers.Tool{Name: t.Name, Description: t.Description, Schema: t.Schema}
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
		t := &r.entries[n].tool
		s := jsontext.Value(t.Schema)
		if err := s.Canonicalize(); err != nil { // it was valid JSON a moment ago
			s = jsontext.Value(t.Schema)
		}
		fmt.Fprintf(h, "%q %q %q %t %t\n", t.Name, t.Description, string(s), t.ReadOnly, t.Idempotent)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Refusal says why a call must not run.
type Refusal struct {
	Code     string // CodeUnknownTool or CodeInvalid
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
	return &Refusal{Code: CodeInvalid, Reason: reason, Sentence: b.String()}
}
