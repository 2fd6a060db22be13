package main

import (
	"bytes"
	"fmt"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harnessbench/bench/invariants"
	"github.com/harnessbench/bench/scenarios"
)

// screen is what a terminal shows after it was sent s: the lines, and whether
// the cursor stands at the beginning of a fresh one. It knows what a progress
// bar needs: line ends, "cursor up", "erase to the end", and colours.
func screen(t *testing.T, s string) []string {
	t.Helper()
	code := regexp.MustCompile(`^\x1b\[([0-9;]*)([A-Za-z])`)
	lines, row, col := []string{""}, 0, 0
	for len(s) > 0 {
		switch m := code.FindStringSubmatch(s); {
		case m != nil:
			s = s[len(m[0]):]
			n, _ := strconv.Atoi(m[1])
			switch m[2] {
			case "A":
				row = max(0, row-max(n, 1))
			case "J":
				if m[1] != "" {
					t.Fatalf("unexpected code %q", m[0])
				}
				r := []rune(lines[row])
				lines[row], lines = string(r[:min(col, len(r))]), lines[:row+1]
			case "m":
			default:
				t.Fatalf("unexpected code %q", m[0])
			}
			continue
		case s[0] == '\x1b':
			t.Fatalf("unexpected code %q", s[:min(10, len(s))])
		case s[0] == '\r':
			s, col = s[1:], 0
			continue
		case s[0] == '\n':
			if s, row, col = s[1:], row+1, 0; row == len(lines) {
				lines = append(lines, "")
			}
			continue
		}
		r := []rune(lines[row])
		c := []rune(s)[0]
		if col < len(r) {
			r[col] = c
		} else {
			r = append(r, c)
		}
		lines[row], col, s = string(r), col+1, s[len(string(c)):]
	}
	return lines
}

// display is a terminal that says when it shows a text.
type display struct {
	mu    sync.Mutex
	buf   bytes.Buffer
	text  string
	shown chan struct{} // closed when text was shown
}

func newDisplay(text string) *display { return &display{text: text, shown: make(chan struct{})} }

func (d *display) Write(b []byte) (int, error) {
	runtime.Gosched() // whoever races with this write gets a chance
	d.mu.Lock()
	defer d.mu.Unlock()
	if strings.Contains(string(b), d.text) && d.text != "" {
		d.text = ""
		close(d.shown)
	}
	return d.buf.Write(b)
}

func (d *display) String() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.buf.String()
}

func (d *display) wait(t *testing.T) {
	t.Helper()
	select {
	case <-d.shown:
	case <-time.After(time.Minute):
		t.Fatalf("%q was never shown; there is %q", d.text, d)
	}
}

func TestProgressLeavesNothing(t *testing.T) {
	const n = 300
	out := newDisplay("variants")
	r := newText(out, look{force: true, colour: true})
	var want []string
	again := []string{"", "did not pass:"}
	var workers sync.WaitGroup
	for i := range n {
		workers.Go(func() { r.progress(i+1, n) })
		name := fmt.Sprintf("scenario-%d/%s", i, strings.Repeat("x", i%7))
		res := scenarios.Result{Name: name, Status: scenarios.Pass}
		want = append(want, "ok      "+name)
		if i%50 == 0 {
			res.Status, res.Failure = scenarios.Fail, "a failure\nof two lines"
			want = append(want[:len(want)-1], "FAIL    "+name, "  a failure", "  of two lines")
			again = append(again, "  FAIL    "+name)
		}
		r.result(res)
	}
	workers.Wait()
	out.wait(t) // for the bar to be drawn once
	r.stop()
	r.stop() // twice is once
	r.summary(scenarios.Summary{Scenarios: n, Variants: n, Passed: n})
	want = append(want, again...)
	want = append(want, fmt.Sprintf("%d scenarios, %d variants: %d passed; 0 lives, 0 rules checked, 0 effects in 0.0s", n, n, n), "")
	got := screen(t, out.String())
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		for i := range got {
			if i >= len(want) || got[i] != want[i] {
				t.Fatalf("line %d on the screen is %q", i+1, got[i])
			}
		}
		t.Fatalf("%d lines on the screen, want %d", len(got), len(want))
	}
	if !strings.Contains(out.String(), "\x1b[32mok\x1b[0m") || !strings.Contains(out.String(), "\x1b[31mFAIL\x1b[0m") {
		t.Error("there is no colour")
	}
	stacks := make([]byte, 1<<20)
	if s := string(stacks[:runtime.Stack(stacks, true)]); strings.Contains(s, "vbauerster/mpb") {
		t.Errorf("the bar's tasks live on:\n%s", s)
	}
}

func TestQuietTextShowsProgressOnly(t *testing.T) {
	out := newDisplay("1/2 variants")
	r := newText(out, look{force: true, quiet: true})
	r.progress(1, 2)
	r.result(scenarios.Result{Name: "a", Status: scenarios.Fail})
	out.wait(t)
	r.stop()
	r.summary(scenarios.Summary{})
	if got := strings.Join(screen(t, out.String()), "\n"); got != "" {
		t.Errorf("left on the screen: %q", got)
	}
}

// One cause with hundreds of consequences: the first are told at length, the
// rest in a line and the command that repeats it, and the end says it all again.
func TestManyFailures(t *testing.T) {
	var out strings.Builder
	r := newText(&out, look{})
	for i := range atLength + 5 {
		r.result(scenarios.Result{
			Name: fmt.Sprintf("s%d", i), Status: scenarios.Fail, Failure: "a reason", Again: "the command", Log: "the log",
			Findings: []invariants.Finding{{Rule: "stop/typed-end", What: "no end"}, {Rule: "stop/typed-end", What: "no end"}},
		})
	}
	r.result(scenarios.Result{Name: "good"})
	r.summary(scenarios.Summary{Scenarios: 26, Variants: 26, Passed: 1, Failed: 25})
	got := out.String()
	for what, n := range map[string]int{
		"a reason": atLength, "the log": atLength, "again:    the command": atLength + 5,
		"  FAIL    s": atLength, "  and 5 more": 1, "     25 variants: stop/typed-end": 1, "did not pass:": 1,
	} {
		if strings.Count(got, what) != n {
			t.Errorf("%q stands there %d times, want %d:\n%s", what, strings.Count(got, what), n, got)
		}
	}
}

// However many files are broken, each says where and why.
func TestTextTellsEachBrokenFile(t *testing.T) {
	var out bytes.Buffer
	r := newText(&out, look{})
	for i := range atLength + 5 {
		file := fmt.Sprintf("f%d.txtar", i)
		r.result(scenarios.Result{Name: fmt.Sprintf("f%d", i), File: file, Status: scenarios.Broken,
			Problems: scenarios.Problems{{File: file, Line: 3, Text: "no such command"}}})
	}
	if got := strings.Count(out.String(), ".txtar:3: no such command\n"); got != atLength+5 || strings.Contains(out.String(), "again:") {
		t.Errorf("%d of %d files say why:\n%s", got, atLength+5, &out)
	}
}
