package cassettes

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
)

// bounds limit what a file can make its reader allocate.
type bounds struct {
	bytes int // of the file, and of its compressed bodies when they are decoded
	// Commas, brackets and lines: but for a few thousand (the parser bounds
	// nesting) every node of a YAML tree needs one of its own, and takes about
	// 200 bytes.
	nodes int
}

// reasonable are the bounds of Parse. A session of 300 turns with a history of
// 100 KB takes 30 MB; recorded sessions have a comma, bracket or line in every
// 24 bytes.
var reasonable = bounds{bytes: 64 << 20, nodes: 4 << 20}

// Cassette is a recording that was read and found well-formed. It is never
// changed; any number of players may play it.
type Cassette struct {
	path  string
	tape  []*vcr.Interaction
	asked []question // by interaction: its request as it is compared
	lines []int      // where each interaction begins
}

// Error says what is wrong with a cassette file.
type Error struct {
	File string
	Line int // from 1; 0 where no line is to blame
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.What
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

// Open reads a cassette file. A missing file is an error (go-vcr would begin
// to record). Other errors are an *Error.
func Open(path string) (*Cassette, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Error{File: path, What: "there is no such cassette; a replay never records: check the name, or record it first"}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, int64(reasonable.bytes)+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Parse reads a cassette from the bytes of a file. The name is for messages;
// errors are an *Error.
func Parse(name string, src []byte) (*Cassette, error) { return parseWithin(name, src, reasonable) }

func parseWithin(name string, src []byte, most bounds) (*Cassette, error) {
	tape, lines, err := parse(name, src, most)
	if err != nil {
		return nil, err
	}
	c := &Cassette{path: name, tape: tape, lines: lines}
	room := most.bytes
	for i, it := range tape {
		u, err := url.Parse(it.URL)
		if err != nil || u.Path == "" && u.Host == "" {
			return nil, &Error{name, lines[i], fmt.Sprintf("interaction %d: request.url is %q: it must be a URL", i+1, it.URL)}
		}
		c.asked = append(c.asked, question{it.Method, u, it.Request.Body})
		n, err := decode(&it.Response, room)
		if err != nil {
			return nil, &Error{name, lines[i], fmt.Sprintf("interaction %d: response.body begins as gzip does, but %v", i+1, err)}
		}
		if room -= n; room < 0 {
			return nil, &Error{name, lines[i], fmt.Sprintf("interaction %d: response.body: the compressed bodies grow to more than %d bytes", i+1, most.bytes)}
		}
	}
	return c, nil
}

// Len is the number of interactions.
func (c *Cassette) Len() int { return len(c.tape) }

// At returns interaction i, from 0, as go-vcr's type. It must not be changed.
func (c *Cassette) At(i int) *vcr.Interaction { return c.tape[i] }

// Place says where interaction i is written, as file:line.
func (c *Cassette) Place(i int) string { return fmt.Sprintf("%s:%d", c.path, c.lines[i]) }

// canonical gives header names the form that http.Header.Get looks for;
// recordings made by hand or by other tools may use another. A name without a
// value is no header.
func canonical(h http.Header) http.Header {
	out := make(http.Header, len(h))
	for _, k := range slices.Sorted(maps.Keys(h)) {
		if len(h[k]) > 0 {
			c := http.CanonicalHeaderKey(k)
			out[c] = append(out[c], h[k]...)
		}
	}
	return out
}

// decode undoes a gzip coding that the recording client had asked for itself
// (otherwise net/http undoes it before a recorder sees the body). The bytes
// decide, not the header: of real recordings that say gzip, many hold plain
// text. It returns how many bytes the body grew to, which is more than room if
// there were more.
func decode(r *vcr.Response, room int) (int, error) {
	if !strings.HasPrefix(r.Body, "\x1f\x8b") {
		return 0, nil
	}
	z, err := gzip.NewReader(strings.NewReader(r.Body))
	if err != nil {
		return 0, err
	}
	b, err := io.ReadAll(io.LimitReader(z, int64(room)+1))
	r.Body = string(b)
	return len(b), err
}
