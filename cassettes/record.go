package cassettes

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	vcr "github.com/dnaeon/go-vcr/v2/cassette"
	"github.com/google/renameio/v2"
)

// Recording says what a Recorder does with what it sees.
type Recording struct {
	// Secrets must appear nowhere in the file: Save refuses to write when one
	// does. Credentials that were sent as headers are removed, and looked for
	// as well, without being named here.
	Secrets []string
	// Filters change each interaction before it is saved, behind the one that
	// removes credentials. They get a copy.
	Filters []vcr.Filter
	// Now is the clock behind durations; nil is the real one.
	Now func() time.Time
}

// Recorder is an http.RoundTripper that keeps what passes through it. The
// client gets each piece of an answer when it arrives. Interactions are kept
// in the order in which their requests were sent.
type Recorder struct {
	next http.RoundTripper
	opts Recording

	mu    sync.Mutex
	takes []*take
}

// take is one request and as much of its answer as was read so far. It is
// guarded by the Recorder's mutex.
type take struct {
	it   vcr.Interaction
	body []byte
	over bool  // the answer ended, or the client left it
	err  error // the request got no answer, or the answer broke off
}

// NewRecorder makes a recorder in front of next.
func NewRecorder(next http.RoundTripper, opts Recording) *Recorder {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Recorder{next: next, opts: opts}
}

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := readBody(req)
	if err != nil {
		return nil, err
	}
	t := &take{it: vcr.Interaction{Request: vcr.Request{
		Body: string(body), Form: url.Values{}, Headers: req.Header.Clone(), URL: req.URL.String(), Method: req.Method,
	}}}
	r.mu.Lock()
	r.takes = append(r.takes, t)
	r.mu.Unlock()

	sent := req.Clone(req.Context())
	if req.Body != nil {
		sent.Body = io.NopCloser(bytes.NewReader(body))
	}
	began := r.opts.Now()
	resp, err := r.next.RoundTrip(sent)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		t.over, t.err = true, fmt.Errorf("it got no answer (%w)", err)
		return nil, err
	}
	t.it.Response = vcr.Response{
		Headers: resp.Header.Clone(), Status: resp.Status, Code: resp.StatusCode, Duration: r.opts.Now().Sub(began),
	}
	resp.Request = req
	resp.Body = &tee{resp.Body, req.Context(), r, t}
	return resp, nil
}

// tee passes an answer on and keeps it.
type tee struct {
	io.ReadCloser
	ctx context.Context
	r   *Recorder
	t   *take
}

func (b *tee) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.r.mu.Lock()
	defer b.r.mu.Unlock()
	b.t.body = append(b.t.body, p[:n]...)
	if err != nil && !b.t.over {
		b.t.over = true
		if err != io.EOF && b.ctx.Err() == nil { // with ctx ended it is the client who left
			b.t.err = fmt.Errorf("its answer broke off (%w)", err)
		}
	}
	return n, err
}

// Close ends the take. A loop may leave an answer behind its last event, so
// what was not read is not missed.
func (b *tee) Close() error {
	b.r.mu.Lock()
	b.t.over = true
	b.r.mu.Unlock()
	return b.ReadCloser.Close()
}

// Save writes the cassette, whole or not at all. It refuses when an answer is
// still being read, when one was cut (the format cannot say so, and a replay
// would end it well), and when a secret is left in it. An answer that the client left early is
// recorded as far as it was read.
func (r *Recorder) Save(path string) error {
	src, err := r.bytes()
	if err != nil {
		return fmt.Errorf("%s: not written: %w", path, err)
	}
	return renameio.WriteFile(path, src, 0o644)
}

// bytes makes the file, and reads it back: what would not be the same again is
// not written.
func (r *Recorder) bytes() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.takes) == 0 {
		return nil, errors.New("nothing was recorded")
	}
	var tape []*vcr.Interaction
	secrets := slices.Clone(r.opts.Secrets)
	for i, t := range r.takes {
		bad := func(err error) error {
			return fmt.Errorf("request %d (%s %s): %w; record it again", i+1, t.it.Method, t.it.Request.URL, err)
		}
		if !t.over {
			return nil, bad(errors.New("its answer is still being read"))
		}
		if t.err != nil {
			return nil, bad(t.err)
		}
		it := t.it
		it.Request.Headers, it.Response.Headers = canonical(t.it.Request.Headers), canonical(t.it.Response.Headers)
		it.Response.Body = string(t.body)
		secrets = append(secrets, credentials(&it)...)
		for _, f := range append([]vcr.Filter{RemoveCredentials}, r.opts.Filters...) {
			if err := f(&it); err != nil {
				return nil, bad(err)
			}
		}
		it.Request.Headers, it.Response.Headers = canonical(it.Request.Headers), canonical(it.Response.Headers)
		tape = append(tape, &it)
	}
	src, err := marshal(tape)
	if err != nil {
		return nil, err
	}
	if err := leak(src, tape, secrets); err != nil {
		return nil, err
	}
	back, _, err := parse("the file", src, reasonable)
	if err != nil {
		return nil, fmt.Errorf("it could not be read back: %w", err)
	}
	if !reflect.DeepEqual(back, tape) {
		return nil, errors.New("it would not be read back as it was recorded; report this, with the request")
	}
	return src, nil
}

// readBody reads a request's body to its end, as a RoundTripper must.
func readBody(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	b, err := io.ReadAll(req.Body)
	return b, errors.Join(err, req.Body.Close())
}

// RemoveCredentials is the filter that takes credentials out of an
// interaction: the headers that carry keys, and cookies of either side.
func RemoveCredentials(it *vcr.Interaction) error {
	for _, h := range []http.Header{it.Request.Headers, it.Response.Headers} {
		for name := range h {
			if secretHeader(name) {
				delete(h, name)
			}
		}
	}
	return nil
}

func secretHeader(name string) bool {
	switch n := strings.ToLower(name); n {
	case "authorization", "proxy-authorization", "cookie", "set-cookie":
		return true
	default:
		return strings.HasSuffix(n, "api-key") || strings.HasSuffix(n, "-token")
	}
}
