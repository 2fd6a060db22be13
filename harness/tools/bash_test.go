package tools_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
)

func TestBash(t *testing.T) {
	b := newBench(t)
	b.write("f.txt", "content\n")
	for _, c := range []struct{ command, code, want string }{
		{"echo hello", "", "hello\n"},
		{"true", "", "(no output)"},
		{"cat f.txt; echo $((6*7))", "", "content\n42\n"},
		{"echo out; echo err >&2; echo out2", "", "out\nerr\nout2\n"},
		{"exit 3", "exit_status", "(exit status 3)"},
		{"echo partial; false", "exit_status", "partial\n(exit status 1)"},
		{"printf partial; exit 255", "exit_status", "partial\n(exit status 255)"},
		{"no-such-command-here", "exit_status", "...command not found\n(exit status 127)"},
		{"if", "exit_status", "...syntax error..."},
		{"kill -SEGV $$", "exit_status", "(killed by signal 11, segmentation fault)"},
		{"cat", "", "(no output)"}, // no input, rather than a wait for some
		{"read x || echo none", "", "none\n"},
		{"pwd; echo $HOME $PWD", "", b.dir + "\n" + b.dir + " " + b.dir + "\n"},
		{"cd / && pwd", "", "/\n"},
		{"test -t 1 || echo no terminal", "", "no terminal\n"},
		{`printf 'a\xffb'`, "", "a\uFFFDb"},
		{"echo a{b,c}", "", "ab ac\n"}, // bash, not sh
	} {
		b.expect("bash", args{"command": c.command}, c.code, c.want)
	}
	b.expect("bash", args{"command": "echo \x00"}, "invalid_arguments", "The command holds a NUL byte...")
	b.expect("bash", args{"command": "echo " + strings.Repeat("x", 4<<20)}, "execution_error", "The command could not be started: ...")
}

// C15: no variable beyond the allowed ones reaches a command.
func TestBashEnvironment(t *testing.T) {
	const canary = "canary-8f2e11"
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "SSH_AUTH_SOCK", "BASH_ENV", "ENV", "LD_PRELOAD_X", "GIT_ASKPASS", "BENCH_SECRET"} {
		t.Setenv(name, canary)
	}
	t.Setenv("LANG", "C.UTF-8")
	t.Setenv("TZ", "UTC")
	b := newBench(t)
	for _, command := range []string{"env", "set", "export -p", "cat /proc/self/environ", "bash -c env", "printenv ANTHROPIC_API_KEY", `echo "$ANTHROPIC_API_KEY"`} {
		if o := b.call(context.Background(), "bash", args{"command": command}); strings.Contains(o.Text, canary) {
			t.Errorf("%s shows the canary: %s", command, o.Text)
		}
	}
	o := b.call(context.Background(), "bash", args{"command": "env | cut -d= -f1 | sort | tr '\\n' ' '"})
	allowed := " HOME LANG LC_ALL LC_CTYPE LOGNAME OLDPWD PATH PWD SHELL SHLVL TERM TMPDIR TZ USER _ "
	for _, name := range strings.Fields(o.Text) {
		if !strings.Contains(allowed, " "+name+" ") {
			t.Errorf("%s reaches the command", name)
		}
	}
	b.expect("bash", args{"command": "echo $LANG $TZ $HOME"}, "", "C.UTF-8 UTC "+b.dir+"\n")
	t.Setenv("PATH", "")
	os.Unsetenv("PATH")
	b.expect("bash", args{"command": "ls -d ."}, "", ".\n")
}

// Output is bounded in memory while it is produced, not afterwards.
func TestBashOutputIsBounded(t *testing.T) {
	b := newBench(t)
	b.opt.Limit = 1000
	o := b.call(context.Background(), "bash", args{"command": "echo first; head -c 10000000 /dev/zero | tr '\\0' x; echo; echo last; exit 1"})
	if o.Code != "exit_status" || !strings.HasPrefix(o.Text, "first\nxxx") || !strings.HasSuffix(o.Text, "xxx\nlast\n(exit status 1)") {
		t.Errorf("got %s %.40q ... %q", o.Code, o.Text, o.Text[max(0, len(o.Text)-40):])
	}
	if len(o.Text) > 1100 || o.Cut != 10000000+len("first\n\nlast\n(exit status 1)")-1000 {
		t.Errorf("%d bytes of text, %d cut", len(o.Text), o.Cut)
	}
}

// fifo makes a named pipe. Its reader learns when a command has begun, and,
// by the end of the file, when every process that held the other end is gone.
type fifo struct {
	t    *testing.T
	path string
}

func (b *bench) fifo(t *testing.T, name string) fifo {
	p := filepath.Join(b.dir, name)
	if err := syscall.Mkfifo(p, 0o644); err != nil {
		t.Fatal(err)
	}
	return fifo{t, p}
}

// open waits for the writer.
func (f fifo) open() *os.File {
	r, err := os.OpenFile(f.path, os.O_RDONLY, 0)
	if err != nil {
		f.t.Error(err)
	}
	return r
}

// gone fails unless every process that held the pipe is gone, or soon is.
func gone(t *testing.T, f fifo, r *os.File) {
	t.Helper()
	defer r.Close()
	done := make(chan error, 1)
	go func() { _, err := io.Copy(io.Discard, r); done <- err }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("a process is left running")
	}
}

// Aborted or late, the whole group is killed, with children that keep the
// output open and ignore polite signals; what was printed is kept.
func TestBashStopped(t *testing.T) {
	const command = `trap '' TERM INT HUP; echo begun; (trap '' TERM INT HUP; exec 9>started; while :; do sleep 100; done) & exec 9>started; while :; do sleep 100; done`
	t.Run("aborted", func(t *testing.T) {
		b := newBench(t)
		f := b.fifo(t, "started")
		ctx, cancel := b.clock.WithCancel(context.Background())
		var r *os.File
		began := b.clock.Note()
		b.clock.Go("user", func() {
			r = f.open()
			cancel(errUser)
			began.Set()
		})
		o := b.call(ctx, "bash", args{"command": command})
		began.Wait(context.Background(), "the reader")
		want := "interrupted: bash was told to stop (stopped by the user) and stopped. What it did until then is not undone. Its output until then:\nbegun\n"
		if o.State != journal.Interrupted || o.Left || o.Text != want {
			t.Errorf("got %+v", o)
		}
		gone(t, f, r)
	})
	t.Run("late", func(t *testing.T) {
		b := newBench(t)
		f := b.fifo(t, "started")
		began := b.clock.Note()
		// The limit of one second passes when the command has begun.
		b.clock = onCue{b.clock, time.Second, began}
		var r *os.File
		b.clock.Go("user", func() {
			r = f.open()
			began.Set()
		})
		o := b.call(context.Background(), "bash", args{"command": command, "timeout_seconds": 1})
		want := "The command timed out: it was stopped after 1s. What it did until then is not undone. Set timeout_seconds, or do it in smaller steps.\nIts output until then:\nbegun\n"
		if o.State != journal.Failed || o.Code != tools.CodeTimeout || o.Text != want {
			t.Errorf("got %+v", o)
		}
		gone(t, f, r)
	})
	t.Run("late by default", func(t *testing.T) {
		b := newBench(t)
		f := b.fifo(t, "started")
		began := b.clock.Note()
		b.clock = onCue{b.clock, 120 * time.Second, began}
		var r *os.File
		b.clock.Go("user", func() {
			r = f.open()
			began.Set()
		})
		if o := b.call(context.Background(), "bash", args{"command": command}); o.Code != tools.CodeTimeout || !strings.Contains(o.Text, "after 2m0s") {
			t.Errorf("got %+v", o)
		}
		gone(t, f, r)
	})
}

// onCue is a clock on which timers of one length run out when a note is set,
// and no other ever does.
type onCue struct {
	env.Clock
	d   time.Duration
	cue env.Note
}

func (c onCue) WithTimer(parent context.Context, cause error) (context.Context, env.Timer) {
	ctx, cancel := c.WithCancel(parent)
	return ctx, cueTimer{c, ctx, cancel, cause}
}

type cueTimer struct {
	c      onCue
	ctx    context.Context
	cancel context.CancelCauseFunc
	cause  error
}

func (t cueTimer) Reset(d time.Duration) {
	if d == t.c.d {
		t.c.Go("cue", func() {
			if t.c.cue.Wait(t.ctx, "the cue") == nil {
				t.cancel(t.cause)
			}
		})
	}
}
func (t cueTimer) Stop() { t.cancel(nil) }

// A child left in the background neither delays the result nor outlives it.
func TestBashBackground(t *testing.T) {
	b := newBench(t)
	f := b.fifo(t, "started")
	var r *os.File
	opened := b.clock.Note()
	b.clock.Go("reader", func() { r = f.open(); opened.Set() })
	o := b.call(context.Background(), "bash", args{"command": "(exec 9>started; sleep 1000) & read -t 0; until [ -p started ]; do :; done; exec 9>started; exec 9>&-; echo done"})
	if o.State != journal.Done || o.Text != "done\n" {
		t.Errorf("got %+v", o)
	}
	opened.Wait(context.Background(), "the reader")
	gone(t, f, r)
}

// A child that left the process group and keeps the output open cannot be
// killed with it; the call ends all the same. If it did not, this test would
// wait for ever: the child ends only afterwards.
func TestBashEscapedChild(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil {
		t.Skip("no setsid here")
	}
	b := newBench(t)
	f := b.fifo(t, "gate")
	o := b.call(context.Background(), "bash", args{"command": "setsid sh -c 'read x < gate' & echo done"})
	if o.State != journal.Done || o.Text != "done\n" {
		t.Errorf("got %+v", o)
	}
	w, err := os.OpenFile(f.path, os.O_RDWR, 0) // does not wait for the reader
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, "go\n")
	w.Close()
}

// On the simulated machine a child process is outside of virtual time, and an
// abort by another task reaches it.
func TestBashSimulated(t *testing.T) {
	for seed := range uint64(3) {
		b := newBench(t)
		f := b.fifo(t, "started")
		m := simulated(seed)
		m.run(t, env.NoProbe{}, func(e env.Env) {
			b.clock = e.Clock
			b.expect("bash", args{"command": "echo hello"}, "", "hello\n")

			ctx, cancel := e.Clock.WithCancel(context.Background())
			var r *os.File
			began := e.Clock.Note()
			e.Clock.Go("user", func() {
				e.Clock.External(func() { r = f.open() })
				cancel(errUser)
				began.Set()
			})
			o := b.call(ctx, "bash", args{"command": "echo begun; exec 9>started; sleep 1000"})
			began.Wait(context.Background(), "the reader")
			if o.State != journal.Interrupted || !strings.HasSuffix(o.Text, "Its output until then:\nbegun\n") {
				t.Errorf("got %+v", o)
			}
			e.Clock.External(func() { gone(t, f, r) })
		})
	}
}

// What the loop decides by: a command may change anything, and what follows a
// failed one was meant for when it succeeds (C7). No other built-in tool is so.
func TestBashIsAShell(t *testing.T) {
	b := newBench(t)
	for _, name := range b.reg.Names() {
		tool, _ := b.reg.Lookup(name)
		if shell := name == "bash"; tool.Shell != shell || tool.StopsSiblings != shell || tool.Deferred || tool.Background || tool.Compacts {
			t.Errorf("%+v", tool)
		}
	}
}
