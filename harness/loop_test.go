package harness

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// script is a provider whose answers are lists of events.
type script struct {
	replies  [][]providers.Event
	requests []string
}

func (s *script) Stream(ctx context.Context, req *providers.Request) (providers.Stream, error) {
	s.requests = append(s.requests, show(req.Messages))
	if len(s.requests) > len(s.replies) {
		return nil, &providers.Error{Class: providers.Invalid, Message: "the script has no more replies"}
	}
	return &scripted{s.replies[len(s.requests)-1]}, nil
}

type scripted struct{ evs []providers.Event }

func (s *scripted) Next() (providers.Event, error) {
	if len(s.evs) == 0 {
		return providers.Event{}, io.EOF
	}
	ev := s.evs[0]
	s.evs = s.evs[1:]
	if ev.Kind == providers.Failure && ev.Text == "read" {
		return ev, ev.Err
	}
	return ev, nil
}
func (s *scripted) Close() error { return nil }

func reply(stop string, blocks ...providers.Block) []providers.Event {
	evs := []providers.Event{{Kind: providers.MessageStart, Usage: &providers.Usage{In: 5}}}
	for i := range blocks {
		b := blocks[i]
		start := b
		start.Text, start.Input = "", ""
		evs = append(evs, providers.Event{Kind: providers.BlockStart, Index: i, Block: &start})
		kind, text := providers.TextDelta, b.Text
		if b.Kind == providers.ToolCall {
			kind, text = providers.InputDelta, b.Input
		}
		evs = append(evs, providers.Event{Kind: kind, Index: i, Text: text}, providers.Event{Kind: providers.BlockStop, Index: i})
	}
	return append(evs, providers.Event{Kind: providers.Stop, Text: stop, Usage: &providers.Usage{Out: 7}}, providers.Event{Kind: providers.MessageStop})
}

type shownEvents struct{ lines []string }

func (s *shownEvents) Publish(e Event) error {
	if e.Record == nil {
		s.lines = append(s.lines, "preview")
	} else {
		s.lines = append(s.lines, string(e.Record.Kind))
	}
	return nil
}

func kindsOf(t *testing.T, e env.Env) string {
	t.Helper()
	f, err := e.FS.Open(journal.TranscriptFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var ks []string
	for r, err := range journal.Records(f) {
		if err != nil {
			t.Fatal(err)
		}
		ks = append(ks, string(r.Kind))
	}
	return strings.Join(ks, " ")
}

// One turn with a call, then an answer: on the real machine.
func TestRunOnTheRealMachine(t *testing.T) {
	e, err := env.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &script{replies: [][]providers.Event{
		reply("end_turn", text("I note it."), call("t1", `{"line":"x"}`)),
		reply("end_turn", text("Done.")),
	}}
	sub := &shownEvents{}
	cfg := Config{Model: "m", Provider: p, Tools: mustRegistry(t, noteTool), Env: e, Subscriber: sub}
	s, err := Create(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	res, err := s.Run(t.Context(), "note x")
	if err != nil {
		t.Fatal(err)
	}
	want := Result{Reason: Completed, Text: "Done.", Stop: "end_turn", Turns: 2, Calls: 1, Usage: providers.Usage{In: 10, Out: 14}, Run: 1}
	if res != want {
		t.Errorf("result %+v, want %+v", res, want)
	}
	const kinds = "session user attempt assistant call started result transition attempt assistant terminal"
	if got := kindsOf(t, e); got != kinds {
		t.Errorf("transcript\n got %s\nwant %s", got, kinds)
	}
	if got := strings.Join(sub.lines, " "); got != strings.ReplaceAll(kinds, "attempt assistant", "attempt preview assistant") {
		t.Errorf("shown %s", got)
	}
	if want := "user text:note x\nassistant text:I note it. call:t1:{\"line\":\"x\"}\nuser result:t1:noted\n"; p.requests[1] != want {
		t.Errorf("second request\n got %s\nwant %s", p.requests[1], want)
	}
	if _, err := s.Resume(t.Context(), ""); err == nil || !strings.Contains(err.Error(), "run 1 ended with completed") {
		t.Errorf("resuming an ended run: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// Open again: nothing is appended, the state is the same, a new prompt goes on.
	live := s.State()
	s, err = Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if got := kindsOf(t, e); got != kinds {
		t.Errorf("an open of an ended session appended: %s", got)
	}
	if s.State().Digest() != live.Digest() {
		t.Error("the opened state is not the state that was closed")
	}
	p.replies = append(p.replies, reply("end_turn", text("Again.")))
	if res, err := s.Run(t.Context(), "and again"); err != nil || res.Text != "Again." || res.Run != 2 {
		t.Errorf("second run: %+v, %v", res, err)
	}
	s.Close()
}

// A panic in a part of ours closes the run in order: one terminal, every call settled.
func TestPanicEndsInOrder(t *testing.T) {
	e, err := env.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e.Probe = panicAt(env.TurnAssembled)
	p := &script{replies: [][]providers.Event{reply("end_turn", text("hi"))}}
	s, err := Create(t.Context(), Config{Model: "m", Provider: p, Env: e})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, err := s.Run(t.Context(), "hi")
	if err != nil || res.Reason != InternalError || !regexp.MustCompile(`^turn\.assembled broke \(at loop_test\.go:\d+\)$`).MatchString(res.Detail) {
		t.Errorf("result %+v, %v", res, err)
	}
	if got := kindsOf(t, e); got != "session user attempt discarded terminal" {
		t.Errorf("transcript %s", got)
	}
}

type panicAt env.Point

func (p panicAt) Hit(s env.Site) error {
	if s.Point == env.Point(p) {
		panic(string(p) + " broke")
	}
	return nil
}

// An abort tells a running tool to stop, answers what did not run, and ends the run.
func TestAbortInTools(t *testing.T) {
	e, err := env.Real(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var s *Session
	slow := noteTool
	slow.Run = func(ctx context.Context, c tools.Call) (tools.Output, error) {
		s.Abort(errors.New("the user pressed ^C"))
		<-ctx.Done()
		return tools.Output{}, context.Cause(ctx)
	}
	p := &script{replies: [][]providers.Event{reply("tool_use", call("t1", `{"line":"x"}`), call("t2", `{"line":"y"}`))}}
	s, err = Create(t.Context(), Config{Model: "m", Provider: p, Env: e, Tools: mustRegistry(t, slow)})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	res, err := s.Run(t.Context(), "note")
	if err != nil || res.Reason != AbortedTools || res.Detail != "the user pressed ^C" {
		t.Errorf("result %+v, %v", res, err)
	}
	if got := kindsOf(t, e); got != "session user attempt assistant call call started result result terminal" {
		t.Errorf("transcript %s", got)
	}
}

func TestConfigNamesEveryContradiction(t *testing.T) {
	_, err := Create(t.Context(), Config{Limits: Limits{MaxTurns: -1, Idle: -1}})
	for _, want := range []string{"no provider", "no machine", "max_turns is -1", "idle is -1ns"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}
