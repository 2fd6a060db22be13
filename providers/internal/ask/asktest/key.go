package asktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/ask"
)

// longKey has no piece of window characters twice, and in it the dot of a cut and what JSON and a JSON
// pointer escape.
const (
	longKey = "sk-canary/Aq7Zp2.Wm9+Xc4~Vb8=="
	window  = 6 // characters of it that no text may show
)

// cutsNoKey: errors quote what they are about, and shorten it. No piece of the key
// survives that, wherever the cut goes through it, and however it is spelled.
//
// Each way is gone once more with a client that has no key: there every cut must
// show, or nothing would be tested.
func cutsNoKey(t *testing.T, api API) {
	const snippet, message, errorBody = 60, ask.MostMessage, 64 << 10 // where texts are cut
	behind := strings.Repeat("z", 120)                                // so that there is something to cut
	stream := func(body string) *http.Client { return Reply(200, EventStream, strings.NewReader(body)) }
	whole := func(contentType, body string) *http.Client {
		return Reply(200, contentType, strings.NewReader(body))
	}
	for _, way := range []struct {
		name   string
		most   int  // how much is kept
		pad    byte // stands in front of the key
		whole  bool // no stream is asked for
		escape bool // JSON's escapes mean the key here
		before bool // the key is taken out before the cut, so that not even its first characters stay
		answer func(text string) *http.Client
	}{
		{"where a redirect leads", message, 'x', false, false, true, func(text string) *http.Client {
			return Reply(307, "", strings.NewReader(""), "Location", "http://h/"+text+behind)
		}},
		{"an error's message", message, 'x', false, true, true, func(text string) *http.Client {
			return Reply(400, "application/json", strings.NewReader(api.Error(api.Names[providers.Invalid], text+behind)))
		}},
		{"an error in plain text", message, 'x', false, false, true, func(text string) *http.Client {
			return Reply(400, "text/plain", strings.NewReader(text+behind))
		}},
		{"an error's page", message, 'x', false, false, true, func(text string) *http.Client {
			return Reply(502, "text/html", strings.NewReader("<title>"+text+behind+"</title>"))
		}},
		{"an error that is not read to its end", errorBody, ' ', false, false, false, func(text string) *http.Client {
			return Reply(502, "text/html", strings.NewReader(text+behind))
		}},
		{"a failure in the stream", message, 'x', false, true, false, func(text string) *http.Client { return stream(api.Failure(text + behind)) }},
		{"a failure instead of an answer", message, 'x', true, true, false, func(text string) *http.Client {
			return whole("application/json", api.Error(api.Names[providers.Invalid], text+behind))
		}},
		{"an event that is not JSON", snippet, 'x', false, true, false, func(text string) *http.Client {
			return stream(`data: {"type":"` + text + behind + "\" oops\n\n")
		}},
		{"an event's member", snippet, 'x', false, true, false, func(text string) *http.Client { return stream(api.MistypedEvent(text + behind)) }},
		{"a member of a whole answer", snippet, 'x', true, true, false, func(text string) *http.Client {
			return whole("application/json", api.Mistyped(text+behind))
		}},
		{"a member of a whole answer to a stream", snippet, 'x', false, true, false, func(text string) *http.Client {
			return whole("application/json", api.Mistyped(text+behind))
		}},
		{"a page", snippet, 'x', true, false, true, func(text string) *http.Client { return whole("text/html", "<html>"+text+behind) }},
		{"a page to a stream", snippet, 'x', false, false, true, func(text string) *http.Client { return whole("text/html", "<html>"+text+behind) }},
		{"the place in a whole answer", snippet, 'x', true, true, false, func(text string) *http.Client {
			return whole("application/json", `{"`+text+behind+`": oops}`)
		}},
		{"the place in an event", snippet, 'x', false, true, false, func(text string) *http.Client {
			return stream(`data: {"` + text + behind + `": oops` + "}\n\n")
		}},
		{"the end of the place in an event", 2 * snippet, 'x', false, true, false, func(text string) *http.Client {
			return stream(`data: {"` + text + behind[:len(text)%50] + `": oops` + "}\n\n")
		}},
	} {
		t.Run(way.name, func(t *testing.T) {
			spellings := []string{longKey}
			if way.escape {
				spellings = append(spellings, `\u0073`+longKey[1:], longKey[:9]+`\/`+longKey[10:], inJSON(longKey))
			}
			shown := map[int]bool{}
			for _, spelled := range spellings {
				for pad := max(0, way.most-len(spelled)-48); pad <= way.most; pad++ {
					text := strings.Repeat(string(way.pad), pad) + spelled
					if s, piece := api.shows(t, longKey, way.answer(text), !way.whole); piece != "" {
						t.Fatalf("%d bytes in front of the key: %s shows %s", pad, s, piece)
					} else if way.before && strings.Contains(s, longKey[:3]) {
						t.Fatalf("%d bytes in front of the key: %s shows its beginning", pad, s)
					}
					if spelled == longKey { // and without a key
						_, piece := api.shows(t, "", way.answer(text), !way.whole)
						shown[len(piece)] = true
					}
				}
			}
			for n := window; n <= len(longKey); n++ {
				if !shown[n] && !strings.HasPrefix(longKey[n:], ".") { // a dot of the cut is taken for it
					t.Errorf("no text was cut behind %d characters of the key", n)
				}
			}
		})
	}
}

// arrivesInPieces: a page is quoted as far as it came in the first read.
func arrivesInPieces(t *testing.T, api API) {
	for n := range len(longKey) {
		answer := func() *http.Client {
			return Reply(200, "text/html", io.MultiReader(strings.NewReader("<p>"+longKey[:n]), strings.NewReader(longKey[n:])))
		}
		if s, piece := api.shows(t, longKey, answer(), true); piece != "" {
			t.Errorf("%s shows %s", s, piece)
		}
		if _, piece := api.shows(t, "", answer(), true); n >= window && len(piece) != n {
			t.Errorf("%d characters of the key came; %q was quoted", n, piece)
		}
	}
}

// shows returns what the error of an answer says, and the longest piece of longKey
// that can be read in it, if it is one of window characters at least.
func (api API) shows(t *testing.T, secret string, h *http.Client, streamed bool) (all, piece string) {
	t.Helper()
	req := hello()
	req.Stream = streamed
	st, err := api.New(Config{BaseURL: "http://api.test", Key: secret, HTTP: h}).Stream(context.Background(), req)
	for err == nil {
		var ev providers.Event
		if ev, err = st.Next(); err == nil && ev.Err != nil {
			err = ev.Err
		}
	}
	e := new(providers.Error)
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *providers.Error", err)
	}
	all = texts(e)
	for _, text := range []string{all, plain(all)} {
		for from := 0; from+window <= len(longKey); from++ {
			for to := from + max(window, len(piece)+1); to <= len(longKey) && strings.Contains(text, longKey[from:to]); to++ {
				piece = longKey[from:to]
			}
		}
	}
	return all, piece
}

// texts is every text of an error, and of those below it.
func texts(e *providers.Error) string {
	all := fmt.Sprintf("%v %+v", e, *e)
	for err := e.Cause; err != nil; err = errors.Unwrap(err) {
		all += " " + err.Error()
	}
	return all
}

var escapes = regexp.MustCompile(`\\+u[0-9a-fA-F]{4}|\\+|~[01]`)

// plain reads the escapes in a text.
func plain(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(s string) string {
		switch {
		case s == "~0":
			return "~"
		case s == "~1":
			return "/"
		case s[len(s)-1] == '\\':
			return ""
		}
		c, _ := strconv.ParseUint(s[len(s)-4:], 16, 16)
		return string(rune(c))
	})
}

// inJSON spells every character as an escape.
func inJSON(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, `\u%04X`, c)
	}
	return b.String()
}
