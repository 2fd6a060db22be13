package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/harnessbench/bench/internal/cut"
)

// schema is the schema of one tool's input, compiled.
type schema struct {
	text     string // compacted JSON
	compiled *jsonschema.Schema
	props    []string // names of the properties, required ones first
	usage    string   // a sentence that says what the tool takes
}

// noLoading refuses every $ref that leaves the schema: validation must not
// read files or the network.
type noLoading struct{}

func (noLoading) Load(url string) (any, error) {
	return nil, errors.New("only references into the same schema (#/$defs/...) are followed")
}

// compile reads and compiles a schema of an object.
func compile(tool, text string) (schema, error) {
	if strings.TrimSpace(text) == "" {
		return schema{}, errors.New(`it has no schema: the least is {"type":"object"}`)
	}
	doc, reason, why := parse([]byte(text))
	if reason != "" {
		return schema{}, fmt.Errorf("its schema %s", why)
	}
	if t, _ := doc["type"].(string); t != "object" {
		return schema{}, errors.New(`its schema does not describe an object: set "type" to "object"`)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoading{})
	url := "tool:///" + tool
	if err := c.AddResource(url, doc); err != nil {
		return schema{}, fmt.Errorf("its schema cannot be used: %s", line(err.Error(), 300))
	}
	compiled, err := c.Compile(url)
	if err != nil {
		return schema{}, fmt.Errorf("its schema is not a valid JSON Schema: %s", line(err.Error(), 300))
	}
	compact := jsontext.Value(text)
	compact = compact.Clone()
	if err := compact.Compact(); err != nil {
		return schema{}, fmt.Errorf("its schema is not JSON: %s", line(err.Error(), 300))
	}
	s := schema{text: string(compact), compiled: compiled}
	s.describe()
	return s, nil
}

// describe prepares the sentence that ends a refusal.
func (s *schema) describe() {
	top := s.compiled
	for n := 0; n < 8 && top.Ref != nil && len(top.Properties) == 0; n++ { // a $ref may go in circles
		top = top.Ref
	}
	for _, n := range top.Required {
		if !slices.Contains(s.props, n) {
			s.props = append(s.props, n)
		}
	}
	required := len(s.props)
	var optional []string
	for n := range top.Properties {
		if !slices.Contains(s.props, n) {
			optional = append(optional, n)
		}
	}
	slices.Sort(optional)
	s.props = append(s.props, optional...)

	if len(s.props) == 0 {
		s.usage = "Send one JSON object; without arguments it is {}."
		return
	}
	var parts []string
	for i, n := range s.props {
		p := line(n, 60)
		if types := typesOf(top.Properties[n]); types != "" {
			p += " (" + types
			if i < required {
				p += ", required"
			}
			p += ")"
		} else if i < required {
			p += " (required)"
		}
		parts = append(parts, p)
		if len(parts) == 20 && len(s.props) > 20 {
			parts = append(parts, fmt.Sprintf("and %d more", len(s.props)-20))
			break
		}
	}
	s.usage = "Send one JSON object with " + strings.Join(parts, ", ") + "."
}

func typesOf(s *jsonschema.Schema) string {
	for n := 0; s != nil && n < 8; n++ {
		if s.Types != nil && !s.Types.IsEmpty() {
			return strings.Join(s.Types.ToStrings(), " or ")
		}
		s = s.Ref
	}
	return ""
}

// check returns "" when v fits, or a clause that continues "The input of X ..."
// and names every place that does not.
func (s *schema) check(v map[string]any) string {
	err := s.compiled.Validate(v)
	if err == nil {
		return ""
	}
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		return "does not fit its schema: " + line(err.Error(), 300)
	}
	all := s.problems(bad)
	const most = 8
	more := ""
	if len(all) > most {
		more = fmt.Sprintf("; and %d more", len(all)-most)
		all = all[:most]
	}
	return "does not fit its schema: " + cut.Head(strings.Join(all, "; "), 2000) + more
}

// problems lists what is wrong in bad and below it, one clause each, sorted:
// the library walks maps, so its own order differs from run to run.
func (s *schema) problems(bad *jsonschema.ValidationError) []string {
	var out []string
	switch k := bad.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, c := range bad.Causes {
			out = append(out, s.problems(c)...)
		}
	case *kind.AnyOf:
		return []string{s.forms(bad)}
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return []string{s.forms(bad)}
		}
		return []string{fmt.Sprintf("%s fits more than one of the allowed forms (%d and %d): it must fit exactly one", subject(bad), k.Subschemas[0]+1, k.Subschemas[1]+1)}
	case *kind.Required:
		for _, m := range k.Missing {
			out = append(out, place(append(slices.Clone(bad.InstanceLocation), m))+" is missing")
		}
	case *kind.AdditionalProperties:
		for _, p := range k.Properties {
			c := place(append(slices.Clone(bad.InstanceLocation), p)) + " is not allowed"
			if len(bad.InstanceLocation) == 0 {
				if n := nearest(p, s.props); n != "" {
					c += fmt.Sprintf(" (did you mean %s?)", n)
				}
			}
			out = append(out, c)
		}
	default:
		out = append(out, subject(bad)+" "+clause(bad.ErrorKind))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// forms lists, for anyOf and oneOf, why each allowed form does not fit.
func (s *schema) forms(bad *jsonschema.ValidationError) string {
	var parts []string
	for _, c := range bad.Causes {
		parts = append(parts, strings.Join(s.problems(c), ", "))
	}
	return fmt.Sprintf("%s fits none of the allowed forms (%s)", subject(bad), line(strings.Join(parts, ", or "), 500))
}

func subject(bad *jsonschema.ValidationError) string {
	if len(bad.InstanceLocation) == 0 {
		return "the object"
	}
	return place(bad.InstanceLocation)
}

// place writes a location as a person would: items[0].text.
func place(loc []string) string {
	var b strings.Builder
	for i, t := range loc {
		if _, err := strconv.Atoi(t); err == nil && i > 0 {
			b.WriteString("[" + t + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		if legalName.MatchString(t) {
			b.WriteString(t)
		} else {
			b.WriteString(strconv.Quote(line(t, 60)))
		}
	}
	return b.String()
}

// clause continues a sentence whose subject is the place.
func clause(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = withArticle(w)
		}
		return fmt.Sprintf("must be %s, not %s", strings.Join(want, " or "), withArticle(k.Got))
	case *kind.Enum:
		return "must be one of " + values(k.Want)
	case *kind.Const:
		return "must be " + values([]any{k.Want})
	case *kind.FalseSchema:
		return "is not allowed"
	case *kind.Minimum:
		return fmt.Sprintf("must be at least %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.Maximum:
		return fmt.Sprintf("must be at most %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("must be more than %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("must be less than %s, not %s", rat(k.Want), rat(k.Got))
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "character"), k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "character"), k.Got)
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "item"), k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %s, not %d", count(k.Want, "key"), k.Got)
	case *kind.MaxProperties:
		return fmt.Sprintf("must have at most %s, not %d", count(k.Want, "key"), k.Got)
	case *kind.Pattern:
		return "must match the pattern " + line(k.Want, 120)
	case *kind.UniqueItems:
		return fmt.Sprintf("must not hold the same item twice (%d and %d)", k.Duplicates[0], k.Duplicates[1])
	}
	return "is wrong: " + line(k.LocalizedString(message.NewPrinter(language.English)), 200)
}

// count writes a number of things.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func withArticle(typ string) string {
	switch typ {
	case "null":
		return typ
	case "array", "integer", "object":
		return "an " + typ
	}
	return "a " + typ
}

// values lists allowed values as JSON.
func values(vs []any) string {
	var parts []string
	for i, v := range vs {
		if i == 20 {
			parts = append(parts, fmt.Sprintf("(%d more)", len(vs)-i))
			break
		}
		b, err := json.Marshal(v)
		if err != nil {
			b = []byte("?")
		}
		parts = append(parts, line(string(b), 60))
	}
	return strings.Join(parts, ", ")
}

func rat(r *big.Rat) string {
	if r.IsInt() {
		return line(r.Num().String(), 40)
	}
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
}
