package ask

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/harnessbench/bench/providers"
)

type encoder struct{ calls int }

func (e *encoder) Encode(dst []byte, req *providers.Request) []byte {
	e.calls++
	return append(dst, req.Model...)
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// Each lane has one encoder, which knows what it encoded before; no lane is main.
func TestEncoderOfALane(t *testing.T) {
	var made []*encoder
	c := New(Config{
		BaseURL: "http://api.test",
		HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
		})},
		Encoder: func() Encoder { made = append(made, &encoder{}); return made[len(made)-1] },
	})
	for range 4 {
		for _, lane := range []string{"", providers.LaneMain, providers.LaneTitle} {
			a, err := c.Ask(t.Context(), &providers.Request{Lane: lane})
			if err != nil {
				t.Fatal(err)
			}
			a.Close()
		}
	}
	if len(made) != 2 || made[0].calls != 8 || made[1].calls != 4 {
		t.Errorf("%d encoders; want one for main, called 8 times, and one for title, called 4 times", len(made))
	}
}

// What the transport does to one request is not seen by the next.
func TestRequestsShareNothing(t *testing.T) {
	var got []string
	c := New(Config{
		BaseURL: "http://api.test/v1", Path: "/x", Header: http.Header{"A": {"1"}}, BenchHeaders: true,
		HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			body, _ := io.ReadAll(r.Body)
			got = append(got, fmt.Sprintf("%s %s %s %s", r.URL, r.Header["A"], r.Header.Get("X-Bench-Attempt"), body))
			r.Header["A"][0] = "changed"
			return &http.Response{StatusCode: 200, Body: http.NoBody, Request: r}, nil
		})},
		Encoder: func() Encoder { return &encoder{} },
	})
	for _, id := range []string{"a1", "a2"} {
		a, err := c.Ask(t.Context(), &providers.Request{Model: id, Attempt: id})
		if err != nil {
			t.Fatal(err)
		}
		a.Close()
	}
	if want := []string{"http://api.test/v1/x [1] a1 a1", "http://api.test/v1/x [1] a2 a2"}; !slices.Equal(got, want) {
		t.Errorf("\n got %q\nwant %q", got, want)
	}
}
