package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// waiting is a bench run in the middle of its first of two variants, which
// waits until it may go on.
type waiting struct {
	t         *testing.T
	cmd       *exec.Cmd
	temp      string // its folder for temporary files
	report    string
	out, errs bytes.Buffer
	told      chan struct{} // closed when it has said that the next signal kills
	goOn      *os.File      // the pipe that the variant reads
}

func startWaiting(t *testing.T, stdout *os.File) *waiting {
	t.Helper()
	dir := t.TempDir()
	w := &waiting{t: t, temp: filepath.Join(dir, "temp"), report: filepath.Join(dir, "report.xml")}
	file := filepath.Join(dir, "waits.txtar")
	os.Mkdir(w.temp, 0o700)
	begun := fifo(t, filepath.Join(dir, "begun"))
	w.goOn = fifo(t, filepath.Join(dir, "go-on"))
	scenario := fmt.Sprintf(`# Waits in the middle, twice.
# From: the tests of the command.
protocol anthropic
case one N=1
case two N=2
provider replies.script
run hi${N}
chmod 755 wait.sh
exec ./wait.sh
terminal completed

-- replies.script --
reply
    text "Hello."
-- wait.sh --
#!/bin/sh
echo ready >%s
read x <%s
`, begun.Name(), w.goOn.Name())
	for name, text := range map[string]string{file: scenario, w.report: "old"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.cmd = exec.Command("bench", "run", "-j", "1", "-junit", w.report, file)
	w.cmd.Env = append(os.Environ(), "GOTMPDIR="+w.temp, "TMPDIR="+w.temp)
	w.told = make(chan struct{})
	w.cmd.Stdout, w.cmd.Stderr = &w.out, w
	if stdout != nil {
		w.cmd.Stdout = stdout
	}
	w.cmd.WaitDelay = 5 * time.Second // a script may outlive it with its pipes
	if err := w.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.cmd.Process.Kill(); w.cmd.Wait() })
	if !ready(t, begun) {
		w.cmd.Process.Kill()
		w.cmd.Wait()
		t.Fatalf("the scenario did not come to wait: %s%s", &w.out, &w.errs)
	}
	return w
}

// Write takes what it says on standard error.
func (w *waiting) Write(b []byte) (int, error) {
	before := strings.Contains(w.errs.String(), onceMore)
	w.errs.Write(b)
	if !before && strings.Contains(w.errs.String(), onceMore) {
		close(w.told)
	}
	return len(b), nil
}

const onceMore = "bench: ending in order; once more to kill\n"

// signal sends the first signal, and returns when it is taken.
func (w *waiting) signal(s os.Signal) {
	w.t.Helper()
	w.cmd.Process.Signal(s)
	select {
	case <-w.told:
	case <-time.After(30 * time.Second): // for what never comes
		w.t.Fatal("the signal was not taken")
	}
}

func (w *waiting) release() { fmt.Fprintln(w.goOn, "go on") }

// cutShort wants the end that a run has when its second variant never began.
func (w *waiting) cutShort(why string) {
	w.t.Helper()
	w.cmd.Wait()
	want := "bench run: cut short: " + why + "; no report file was written\n"
	if got := w.cmd.ProcessState.ExitCode(); got != 2 || strings.TrimPrefix(w.errs.String(), onceMore) != want {
		w.t.Errorf("exit status %d, stderr %q, want 2 and %q", got, &w.errs, want)
	}
	if got := read(w.t, w.report); got != "old" {
		w.t.Errorf("the report is %q", got)
	}
	if left, err := os.ReadDir(w.temp); err != nil || len(left) > 0 {
		w.t.Errorf("left behind: %v %v", left, err)
	}
}

func TestRunInterrupted(t *testing.T) {
	w := startWaiting(t, nil)
	w.signal(os.Interrupt)
	w.release()
	w.cutShort("interrupt signal received")
	if got := w.out.String(); !strings.HasPrefix(got, "ok      waits/one\n1 scenario") || strings.Contains(got, "waits/two") {
		t.Errorf("stdout %q", got)
	}
}

func TestRunKilledByTheSecondSignal(t *testing.T) {
	w := startWaiting(t, nil)
	w.signal(syscall.SIGTERM)
	w.cmd.Process.Signal(syscall.SIGTERM)
	w.cmd.Wait()
	w.release() // the script outlives it
	if s := w.cmd.ProcessState.Sys().(syscall.WaitStatus); !s.Signaled() || s.Signal() != syscall.SIGTERM {
		t.Errorf("ended with %v, %s", w.cmd.ProcessState, &w.errs)
	}
	if got := read(t, w.report); got != "old" {
		t.Errorf("the report is %q", got)
	}
}

// `bench run | head -1` ends, says so, and leaves no work directory behind.
func TestRunWithoutAReader(t *testing.T) {
	r, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	w := startWaiting(t, out)
	out.Close()
	r.Close()
	w.release()
	w.release() // the second may have begun before the first could not be written
	w.cutShort("standard output cannot be written: broken pipe")
}

// fifo makes a pipe with a name, open at both ends, so that whoever opens one
// end need not wait for the other.
func fifo(t *testing.T, name string) *os.File {
	t.Helper()
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// ready waits for a word in a pipe.
func ready(t *testing.T, f *os.File) bool {
	t.Helper()
	f.SetReadDeadline(time.Now().Add(30 * time.Second)) // for what never comes
	_, err := f.Read(make([]byte, 100))
	return err == nil
}
