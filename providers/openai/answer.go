package openai

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/harnessbench/bench/providers"
)

// answer is a successful HTTP answer being read. What it is shows only when its
// first bytes are there: servers send streams without a content type or as
// JSON, and errors and whole messages where a stream was asked for.
type answer struct {
	ctx     context.Context
	client  *Client
	resp    *http.Response
	onBytes func(int)
	asked   bool // for a stream

	dec    *Decoder          // a stream
	events []providers.Event // a whole message: what is left of it
	err    error
	begun  bool
	closed bool
}

func newAnswer(ctx context.Context, c *Client, req *providers.Request, resp *http.Response) *answer {
	return &answer{ctx: ctx, client: c, resp: resp, onBytes: req.OnBytes, asked: req.Stream}
}

// Read reads the body and tells of every byte: comments, pings and padding are
// signs of life too (openai/codex#31539).
func (a *answer) Read(p []byte) (int, error) {
	n, err := a.resp.Body.Read(p)
	if n > 0 && a.onBytes != nil {
		a.onBytes(n)
	}
	return n, err
}

func (a *answer) Close() error {
	a.closed = true
	return a.resp.Body.Close()
}

func (a *answer) Next() (providers.Event, error) {
	if a.err == nil && a.closed {
		a.err = &providers.Error{Class: providers.Canceled, Message: "the stream was closed by its reader", InStream: true}
	}
	if a.err == nil && !a.begun {
		a.begun = true
		if err := a.begin(); err != nil {
			a.err = a.clean(err)
		}
	}
	if a.err != nil {
		return providers.Event{}, a.err
	}
	if a.dec != nil {
		ev, err := a.dec.Next()
		if err != nil {
			a.err = a.clean(err)
		} else if ev.Kind == providers.Failure {
			a.clean(ev.Err)
		}
		return ev, a.err
	}
	if len(a.events) == 0 {
		a.err = io.EOF
		return providers.Event{}, io.EOF
	}
	ev := a.events[0]
	a.events = a.events[1:]
	return ev, nil
}

// clean takes the key out of an error and adds the id to ask the provider about.
func (a *answer) clean(err error) error {
	e := new(providers.Error)
	if !errors.As(err, &e) {
		return err // io.EOF
	}
	if e.RequestID == "" {
		e.RequestID = requestID(a.resp.Header)
	}
	return a.client.scrub(e)
}

// begin finds out what the answer is.
func (a *answer) begin() error {
	if enc := a.resp.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return protocolError(fmt.Sprintf("the answer is encoded as %q, which was not asked for", enc))
	}
	head, form, err := a.sniff()
	body := io.MultiReader(bytes.NewReader(head), a)
	if err != nil {
		body = io.MultiReader(bytes.NewReader(head), failing{err})
	}
	contentType := a.resp.Header.Get("Content-Type")
	media, _, _ := mime.ParseMediaType(contentType)
	switch {
	case form == isJSON:
		return a.whole(body)
	case form == isStream, media == "text/event-stream":
		a.dec = newDecoder(a.client.api, body)
		a.dec.ended, a.dec.clean = a.broken, a.client.clean
		return nil
	case err != nil && err != io.EOF:
		return a.broken(err)
	case len(bytes.TrimSpace(head)) == 0 && a.asked:
		return io.EOF // a stream of nothing
	case len(bytes.TrimSpace(head)) == 0:
		return &providers.Error{Class: providers.Cut, Message: "the answer broke off before its first byte", InStream: true, Cause: io.ErrUnexpectedEOF}
	}
	want := "application/json"
	if a.asked {
		want = "text/event-stream"
	}
	return protocolError(fmt.Sprintf("the answer's content type is %q and it begins with %q; want %s", contentType, a.client.clean(snippet(bytes.TrimSpace(head))), want))
}

// whole reads a message that is no stream.
func (a *answer) whole(body io.Reader) error {
	all, err := io.ReadAll(io.LimitReader(body, a.client.mostWhole+1))
	if err != nil {
		return a.broken(err)
	}
	if int64(len(all)) > a.client.mostWhole {
		return protocolError(fmt.Sprintf("the answer is longer than %d bytes", a.client.mostWhole))
	}
	var e error
	if a.events, e = a.client.api.DecodeMessage(all); e != nil {
		return e
	}
	return nil
}

// failing is a body whose end is known already.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type form int

const (
	isOther form = iota
	isStream
	isJSON
)

// sniff reads as little as shows what the answer is, and returns what it read.
// err is what ended the reading, if something did.
func (a *answer) sniff() (head []byte, f form, err error) {
	buf := make([]byte, 4<<10)
	for {
		n, err := a.Read(buf)
		head = append(head, buf[:n]...)
		f, sure := formOf(head)
		if sure || err != nil {
			return head, f, err
		}
	}
}

// formOf says what bytes are that begin with head; not sure, if more would help.
func formOf(head []byte) (f form, sure bool) {
	const bom = "\ufeff"
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte(bom)), " \t\r\n")
	switch {
	case len(head) == 0, len(head) < len(bom) && strings.HasPrefix(bom, string(head)):
		return isOther, false
	case head[0] == '{':
		return isJSON, true
	case head[0] == ':':
		return isStream, true
	}
	for _, field := range []string{"event:", "data:", "id:", "retry:"} {
		if bytes.HasPrefix(head, []byte(field)) {
			return isStream, true
		}
		if strings.HasPrefix(field, string(head)) {
			return isOther, false
		}
	}
	return isOther, true
}

// broken is what a read error behind the head means: our own context's end, a
// body that is not what its encoding says, or a cut.
func (a *answer) broken(err error) *providers.Error {
	switch {
	case a.ctx.Err() != nil:
		return canceled(a.ctx, true)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return &providers.Error{Class: providers.Protocol, Message: "the answer says that it is compressed with gzip, and is not", InStream: true, Cause: err}
	}
	return brokenOff(err)
}
