package harness

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/internal/seam"
	"github.com/harnessbench/bench/providers"
)

func realEnv(t *testing.T) env.Env {
	t.Helper()
	e, err := env.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A prompt of white space would make a request without a message, or one that
// ends with the assistant's word: it is refused before anything is recorded.
func TestBlankPromptIsRefused(t *testing.T) {
	e := realEnv(t)
	s, err := Create(t.Context(), Config{Model: "m", Provider: &script{}, Env: e})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, run := range map[string]func(context.Context, string) (Result, error){"run": s.Run, "resume": s.Resume} {
		if _, err := run(t.Context(), " \t\n"); err == nil || !strings.Contains(err.Error(), "the prompt is empty") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := kindsOf(t, e); got != "session" {
		t.Errorf("transcript %s", got)
	}
}

type panicking struct{ n int }

func (p *panicking) Publish(Event) error {
	if p.n--; p.n < 0 {
		panic("the screen is gone")
	}
	return nil
}

// A subscriber that panics is detached and noted like one that fails; a panic
// that comes back at every record once left Run in the caller's lap.
func TestSubscriberThatPanicsIsDetached(t *testing.T) {
	for n := range 6 {
		e := realEnv(t)
		p := &script{replies: [][]providers.Event{reply("end_turn", text("hi"))}}
		s, err := Create(t.Context(), Config{Model: "m", Provider: p, Env: e, Subscriber: &panicking{n}})
		if err != nil {
			t.Fatal(n, err)
		}
		if res, err := s.Run(t.Context(), "hi"); err != nil || res.Reason != Completed {
			t.Errorf("%d: result %+v, %v", n, res, err)
		}
		if got := kindsOf(t, e); n < 5 && !strings.Contains(got, "notice") {
			t.Errorf("%d: transcript %s", n, got)
		}
		s.Close()
	}
}

// Resume may be called while another task runs, like Run: one of them is told
// that the session is busy. (The race detector sees what is read too early.)
func TestResumeWhileRunning(t *testing.T) {
	p := &script{}
	for range 50 {
		p.replies = append(p.replies, reply("end_turn", text("hi")))
	}
	s, err := Create(t.Context(), Config{Model: "m", Provider: p, Env: realEnv(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 20 {
			s.Run(t.Context(), "hi")
		}
	})
	wg.Go(func() {
		for range 2000 {
			if _, err := s.Resume(t.Context(), ""); err == nil {
				t.Error("there was something to resume")
			}
		}
	})
	wg.Wait()
}

// dying ends its process's task when it is shown an answer, as a kill does.
type dying struct{}

func (dying) Publish(e Event) error {
	if e.Record != nil && e.Record.Kind == journal.KindAssistant {
		runtime.Goexit()
	}
	return nil
}

// A crash left an answer whose calls a torn commit lost, and the resume is
// aborted before it begins: the calls are recorded and answered all the same.
func TestAbortedResumeAnswersALostCall(t *testing.T) {
	e := realEnv(t)
	lose := func() Parts {
		return Parts{Records: func(recs []*journal.Record) []*journal.Record {
			for i, r := range recs {
				if r.Kind == journal.KindAssistant {
					return recs[:i+1] // what a torn write leaves
				}
			}
			return recs
		}}
	}
	cfg := Config{Model: "m", Env: e, Tools: mustRegistry(t, noteTool), Provider: &script{replies: [][]providers.Event{reply("tool_use", call("t1", `{"line":"x"}`))}}}
	cfg.Seam = seam.Of(lose)
	cfg.Subscriber = dying{}
	s, err := Create(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	died := make(chan struct{})
	go func() {
		defer close(died)
		s.Run(t.Context(), "note")
	}()
	<-died
	s.Close()

	cfg.Seam, cfg.Subscriber = seam.Slot{}, nil
	if s, err = Open(t.Context(), cfg); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("^C"))
	res, err := s.Resume(ctx, "")
	if err != nil || res.Reason != AbortedTools || res.Turns != 1 {
		t.Errorf("result %+v, %v", res, err)
	}
	if got := kindsOf(t, e); got != "session user attempt assistant resume call result terminal" {
		t.Errorf("transcript %s", got)
	}
}
