package scenarios

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever the provider says, whatever the tools do, wherever the process dies
// or a write fails, and in whatever schedule: every rule holds.
func TestAnyScenarioKeepsTheRules(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		text := drawScenario(t)
		n++
		file := filepath.Join(dir, fmt.Sprintf("drawn%d.txtar", n))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(file)
		o := Options{Files: []string{file}, Seed: rapid.Uint64Range(0, 1<<20).Draw(t, "seed"), J: 1, KeepDir: filepath.Join(dir, "kept")}
		o.Report = func(r Result) {
			// An open that cannot write is rightly refused, and ends the script there.
			refused := r.Status == Fail && len(r.Findings) == 0 && strings.Contains(r.Failure, " was refused: ") && (strings.Contains(r.Failure, " failed: ") || strings.Contains(r.Failure, " panicked: "))
			if r.Status != Pass && r.Status != Vacuous && !refused {
				t.Fatalf("seed %d\n%s\n--- the scenario:\n%s", o.Seed, r, text)
			}
		}
		if _, err := Run(context.Background(), o); err != nil {
			t.Fatal(err)
		}
	})
}

// drawScenario draws a scenario file: a few replies, good and bad, a random
// disaster, and resumes behind it.
func drawScenario(t *rapid.T) string {
	var b strings.Builder
	line := func(f string, a ...any) { fmt.Fprintf(&b, f+"\n", a...) }
	pick := func(name string, of ...string) string { return rapid.SampledFrom(of).Draw(t, name) }

	line("# Drawn by a property test: the rules hold whatever happens.\n# From: rapid.")
	line("config max_turns=%d retries=%d concurrency=%d tool_timeout=20s idle=30s", rapid.IntRange(1, 4).Draw(t, "turns"), rapid.IntRange(0, 3).Draw(t, "retries"), rapid.IntRange(1, 4).Draw(t, "concurrency"))
	line("tool look read takes=%ds", rapid.IntRange(0, 3).Draw(t, "takes"))
	line("tool bomb %s panics", pick("bomb", "read", "write"))
	line("tool sour write %s=no", pick("sour", "fails", "then-fails"))
	line("tool stuck read hangs")
	line("tool put write idempotent takes=1s")
	line("provider replies.script")
	for range rapid.IntRange(0, 2).Draw(t, "disasters") {
		line("at %s", drawDisaster(t))
	}
	line("run 'begin'")
	for range rapid.IntRange(1, 3).Draw(t, "resumes") {
		if rapid.Bool().Draw(t, "again") {
			line("at %s", drawDisaster(t))
		}
		line("resume 'go on'")
	}
	line("\n-- replies.script --")
	for range rapid.IntRange(1, 6).Draw(t, "replies") {
		drawReply(t, line)
	}
	line("reply times=0..200\n    text \"Done.\"")
	return b.String()
}

func drawDisaster(t *rapid.T) string {
	point := rapid.SampledFrom([]string{
		"request.before", "stream.event", "turn.assembled", "append.before", "append.written", "append.synced",
		"audit.before", "audit.written", "audit.synced", "publish.before", "publish.after",
		"tool.before", "tool.running", "tool.ran", "backoff", "append.torn", "audit.torn",
	}).Draw(t, "point")
	// The first commits make the session; without one there is nothing to resume.
	n := rapid.IntRange(3, 12).Draw(t, "n")
	actions := []string{"kill", "kill", "powercut", "abort", "panic"}
	switch {
	case strings.HasSuffix(point, ".torn"):
		return fmt.Sprintf("%s %d %s bytes=%d", point, n, rapid.SampledFrom([]string{"kill", "powercut", "error ENOSPC"}).Draw(t, "action"), rapid.IntRange(0, 120).Draw(t, "bytes"))
	case strings.HasPrefix(point, "append.") || strings.HasPrefix(point, "audit.") || point == "publish.before":
		actions = append(actions[:4], "error EIO", "error ENOSPC")
	case point == "publish.after":
	default:
		n = rapid.IntRange(1, 4).Draw(t, "n2")
	}
	return fmt.Sprintf("%s %d %s", point, n, rapid.SampledFrom(actions).Draw(t, "action"))
}

func drawReply(t *rapid.T, line func(string, ...any)) {
	if rapid.IntRange(0, 5).Draw(t, "http") == 0 {
		line("reply %s times=0..1", rapid.SampledFrom([]string{
			`529 overloaded_error "Overloaded"`, `500 api_error "oops"`, `429 rate_limit_error "slow down"`,
			`400 invalid_request_error "no"`, `413 request_too_large "too large"`, `401 authentication_error "who?"`,
		}).Draw(t, "status"))
		return
	}
	line("reply times=0..1")
	stop := rapid.SampledFrom([]string{"", "", "", "end_turn", "tool_use", "max_tokens", "pause_turn", "refusal", "stop_sequence", "zzz", "model_context_window_exceeded"}).Draw(t, "stop")
	lines := rapid.IntRange(0, 4).Draw(t, "lines")
	at := rapid.IntRange(0, lines).Draw(t, "stop at")
	open := false
	for i := range lines {
		if stop != "" && i == at && i < lines && !open {
			line("    stop %s", stop)
			stop = ""
		}
		if open {
			break
		}
		switch rapid.IntRange(0, 9).Draw(t, "line") {
		case 0, 1:
			line("    text %q %q", rapid.StringMatching(`[a-z é😀]{0,8}`).Draw(t, "text"), rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "more"))
		case 2:
			line("    think \"hm\" sig=abc")
		case 3:
			line("    ping")
		case 8:
			line("    cut-call t%d append '{\"file\":\"a.txt\",\"line\":\"x\"%s'", rapid.IntRange(1, 4).Draw(t, "id"), rapid.SampledFrom([]string{"", "}"}).Draw(t, "brace"))
			open = true
		default:
			line("    call t%d %s", rapid.IntRange(1, 4).Draw(t, "id"), rapid.SampledFrom([]string{
				`append {"file":"a.txt","line":"x"}`, `append {"file":"a.txt","line":"y"}`, `counter ''`, `look {}`, `look {}`, `put {"key":"k"}`,
				`bomb {}`, `sour {}`, `stuck {}`, `nope {}`, `append '{"file":'`, `append '[]'`, `append {"file":1}`,
			}).Draw(t, "call"))
		}
	}
	if stop != "" {
		line("    stop %s", stop)
	}
	switch rapid.IntRange(0, 7).Draw(t, "end") {
	case 0:
		line("    eof")
	case 1:
		line("    reset")
	case 2:
		line("    hang 10m")
	case 3:
		line("    error overloaded_error \"Overloaded\"")
	}
}
