package ask

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

// Answer is a successful HTTP answer being read. What it is shows only when its
// first bytes are there: servers send streams without a content type or as
// JSON, and errors and whole messages where a stream was asked for.
type Answer struct {
	ctx     context.Context
	client  *Client
	resp    *http.Response
	onBytes func(int)
	asked   bool // for a stream

	body   io.Reader         // of a stream
	events []providers.Event // a whole message: what is left of it
	err    error
	begun  bool
	closed bool
}

// Read reads the body and tells of every byte: comments, pings and padding are
// signs of life too (openai/codex#31539).
func (a *Answer) Read(p []byte) (int, error) {
	n, err := a.resp.Body.Read(p)
	if n > 0 && a.onBytes != nil {
		a.onBytes(n)
	}
	return n, err
}

// Close closes the body.
func (a *Answer) Close() error {
	a.closed = true
	return a.resp.Body.Close()
}

// Streams reports whether the next event is one of a stream, which is read from
// Source. If it is not, Next has it. The first call reads what shows it.
func (a *Answer) Streams() bool {
	switch {
	case a.err != nil:
	case a.closed:
		a.err = &providers.Error{Class: providers.Canceled, Message: "the stream was closed by its reader", InStream: true}
	case !a.begun:
		a.begun = true
		if err := a.begin(); err != nil {
			a.err = a.clean(err)
		}
	}
	return a.body != nil && a.err == nil
}

// Source is where a stream is decoded from.
func (a *Answer) Source() Source {
	s := NewSource(a.body)
	s.ended, s.clean = a.broken, a.client.clean
	return s
}

// Next returns the next event of a message that is no stream, or the error that
// came before or instead.
func (a *Answer) Next() (providers.Event, error) {
	if a.err == nil && len(a.events) == 0 {
		a.err = io.EOF
	}
	if a.err != nil {
		return providers.Event{}, a.err
	}
	ev := a.events[0]
	a.events = a.events[1:]
	return ev, nil
}

// Told takes in what the decoder of a stream told: err, which ends the answer, or
// else failure, that of an event. It adds to them what only the answer knows, and
// returns err.
func (a *Answer) Told(failure *providers.Error, err error) error {
	if err == nil {
		a.clean(failure)
		return nil
	}
	a.err = a.clean(err)
	return a.err
}

// clean takes the key out of an error and adds the id to ask the provider about.
func (a *Answer) clean(err error) error {
	e := new(providers.Error)
	if !errors.As(err, &e) {
		return err // io.EOF
	}
	if e.RequestID == "" {
		e.RequestID = a.client.RequestID(a.resp.Header)
	}
	return a.client.scrub(e)
}

// begin finds out what the answer is.
func (a *Answer) begin() error {
	if enc := a.resp.Header.Get("Content-Encoding"); enc != "" && enc != "identity" {
		return ProtocolError(fmt.Sprintf("the answer is encoded as %q, which was not asked for", enc))
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
	case form == isStream, form == isList && a.client.Lists, media == "text/event-stream":
		a.body = body
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
	return ProtocolError(fmt.Sprintf("the answer's content type is %q and it begins with %q; want %s", contentType, quote(bytes.TrimSpace(head), a.client.clean), want))
}

// whole reads a message that is no stream.
func (a *Answer) whole(body io.Reader) error {
	all, err := io.ReadAll(io.LimitReader(body, a.client.MostWhole+1))
	if err != nil {
		return a.broken(err)
	}
	if int64(len(all)) > a.client.MostWhole {
		return ProtocolError(fmt.Sprintf("the answer is longer than %d bytes", a.client.MostWhole))
	}
	a.events, err = a.client.DecodeMessage(all)
	return err
}

// failing is a body whose end is known already.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type form int

const (
	isOther form = iota
	isStream
	isJSON
	isList
)

// sniff reads as little as shows what the answer is, and returns what it read.
// err is what ended the reading, if something did.
func (a *Answer) sniff() (head []byte, f form, err error) {
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
	case head[0] == '[':
		return isList, true
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
func (a *Answer) broken(err error) *providers.Error {
	switch {
	case a.ctx.Err() != nil:
		return canceled(a.ctx, true)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return &providers.Error{Class: providers.Protocol, Message: "the answer says that it is compressed with gzip, and is not", InStream: true, Cause: err}
	}
	return brokenOff(err)
}
