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

// maxFile is the largest cassette that is read, and the most that the
// compressed bodies of one may grow to. A session of 300 turns with a history
// of 100 KB takes 30 MB.
const maxFile = 64 << 20

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
	src, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	return Parse(path, src)
}

// Parse reads a cassette from the bytes of a file. The name is for messages;
// errors are an *Error.
func Parse(name string, src []byte) (*Cassette, error) {
	tape, lines, err := parse(name, src)
	if err != nil {
		return nil, err
	}
	c := &Cassette{path: name, tape: tape, lines: lines}
	room := int64(maxFile)
	for i, it := range tape {
		u, err := url.Parse(it.URL)
		if err != nil || u.Path == "" && u.Host == "" {
			return nil, &Error{name, lines[i], fmt.Sprintf("interaction %d: request.url is %q: it must be a URL", i+1, it.URL)}
		}
		c.asked = append(c.asked, question{it.Method, u, it.Request.Body})
		if room, err = decode(&it.Response, room); err != nil {
			return nil, &Error{name, lines[i], fmt.Sprintf("interaction %d: %v", i+1, err)}
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
// text. It returns what is left of room.
func decode(r *vcr.Response, room int64) (int64, error) {
	if !strings.HasPrefix(r.Body, "\x1f\x8b") {
		return room, nil
	}
	z, err := gzip.NewReader(strings.NewReader(r.Body))
	if err != nil {
		return room, fmt.Errorf("response.body is not the gzip stream that it begins as: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(z, room+1))
	if err != nil {
		return room, fmt.Errorf("response.body is not the gzip stream that it begins as: %w", err)
	}
	if int64(len(b)) > room {
		return room, fmt.Errorf("response.body: the compressed bodies grow to more than %d bytes", maxFile)
	}
	r.Body = string(b)
	return room - int64(len(b)), nil
}
