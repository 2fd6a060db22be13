package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// seat is an agent whose standard input is a terminal that somebody sits at.
type seat struct {
	*place
	cmd    *exec.Cmd
	person *os.File
	out    bytes.Buffer
	log    *os.File // standard error, where that is no terminal

	mu   sync.Mutex
	text bytes.Buffer // what the terminal was sent
	over chan struct{}
}

const runIt = `
reply
    call t1 bash {"command":"echo yes >ran"}
reply
    expect results == t1
    text "So be it."
`

func takeSeat(t *testing.T, script, typed string, log bool, args ...string) *seat {
	t.Helper()
	s := &seat{place: newPlace(t, script), over: make(chan struct{})}
	person, program := pseudoTerminal(t)
	s.person = person
	person.WriteString(typed)
	s.cmd = s.command(append([]string{"-session", s.dir, "-p", "please"}, args...)...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = program, &s.out, program
	if log {
		var err error
		if s.log, err = os.Create(filepath.Join(t.TempDir(), "log")); err != nil {
			t.Fatal(err)
		}
		s.cmd.Stderr = s.log
	}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait(); person.Close() })
	go func() {
		defer close(s.over)
		var b [1000]byte
		for {
			n, err := person.Read(b[:])
			s.mu.Lock()
			s.text.Write(b[:n])
			s.mu.Unlock()
			if err != nil { // EIO: nobody has the other end any more
				return
			}
		}
	}()
	return s
}

func (s *seat) shown() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

const question = "bash: echo yes >ran -- run it? [y/N] "

// asks waits for the question.
func (s *seat) asks() {
	s.t.Helper()
	for end := time.Now().Add(30 * time.Second); !strings.Contains(s.shown(), question); time.Sleep(time.Millisecond) {
		if time.Now().After(end) { // for what never comes
			s.t.Fatalf("nobody was asked: %q", s.shown())
		}
	}
}

func (s *seat) end() ended {
	s.cmd.Wait()
	<-s.over
	return ended{s.cmd.ProcessState.ExitCode(), s.out.String(), strings.ReplaceAll(s.shown(), "\r\n", "\n")}
}

func TestAgentAsksAtATerminal(t *testing.T) {
	for _, c := range []struct {
		name, before, typed string
		status              int
		ran                 bool
		code, answer        string
	}{
		{"y", "", "y\n", 0, true, "approved", "So be it.\n"},
		{"yes", "", " YES \n", 0, true, "approved", "So be it.\n"},
		{"n", "", "n\n", 0, false, "rejected", "So be it.\n"},
		{"enter", "", "\n", 0, false, "rejected", "So be it.\n"},
		{"another word", "", "yup\n", 0, false, "rejected", "So be it.\n"},
		{"ctrl-d", "", "\x04", 0, false, "rejected", "So be it.\n"},
		{"ctrl-c", "", "\x03", 1, false, "cancelled", ""},
		{"typed too early", "y\n", "\n", 0, false, "rejected", "So be it.\n"},
		{"half typed too early", "y", "\n", 0, false, "rejected", "So be it.\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := takeSeat(t, runIt, c.before, false)
			s.asks()
			s.person.WriteString(c.typed)
			got := s.end()
			s.want(got, c.status, c.answer, regexp.QuoteMeta(question))
			if strings.Count(got.err, question) != 1 {
				t.Errorf("the terminal shows %q", got.err)
			}
			if strings.HasPrefix(c.name, "ctrl") && !strings.Contains(got.err, "no\n") { // the approver returned
				t.Errorf("the question was left open: %q", got.err)
			}
			if _, err := os.Stat(filepath.Join(s.work, "ran")); (err == nil) != c.ran {
				t.Errorf("the command was run: %v", err == nil)
			}
			codes := ""
			for _, r := range s.records(s.dir) {
				if r.Kind == "permission" {
					codes += " " + r.Code
				}
			}
			if codes != " ask "+c.code {
				t.Errorf("the permissions are%s", codes)
			}
		})
	}
}

// Where standard error goes into a file the question is still seen, and only there.
func TestAgentAsksBesideALog(t *testing.T) {
	s := takeSeat(t, runIt, "", true)
	s.asks()
	s.person.WriteString("y\n")
	got := s.end()
	s.want(got, 0, "So be it.\n", "^"+regexp.QuoteMeta(question)+"y\n$")
	if log := read(t, s.log.Name()); !regexp.MustCompile(`^session \S+\n$`).MatchString(log) {
		t.Errorf("the log holds %q", log)
	}
}

// Let loose, bash is not asked about, at a terminal either.
func TestAgentDoesNotAskWithAllowBash(t *testing.T) {
	s := takeSeat(t, runIt, "", false, "-allow-bash")
	s.want(s.end(), 0, "So be it.\n", "c1 done: ")
	if strings.Contains(s.shown(), "run it?") {
		t.Errorf("the terminal shows %q", s.shown())
	}
}
