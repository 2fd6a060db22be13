package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// pseudoTerminal returns both ends of one, 100 columns wide.
func pseudoTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	fd := int(person.Fd())
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 100})
	}
	if err == nil {
		program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	}
	if err != nil {
		person.Close()
		t.Skipf("no pseudo terminals here: %v", err)
	}
	return person, program
}

// onTerminal runs bench with a terminal for both outputs and returns what the
// terminal was sent.
func onTerminal(t *testing.T, env []string, args ...string) string {
	t.Helper()
	person, program := pseudoTerminal(t)
	defer person.Close()
	cmd := exec.Command("bench", args...)
	cmd.Env = append(os.Environ(), append([]string{"TERM=xterm", "NO_COLOR="}, env...)...)
	cmd.Stdout, cmd.Stderr = program, program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	sent, err := io.ReadAll(person)
	if err != nil && !errors.Is(err, syscall.EIO) { // so ends a terminal that nobody writes to
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v: %s", err, sent)
	}
	return string(sent)
}

func TestOnTerminal(t *testing.T) {
	file := filepath.Join("testdata", "scenarios", "good.txtar")
	sent := onTerminal(t, nil, "run", file)
	got := screen(t, sent)
	if len(got) != 4 || got[0] != "ok      good/plain" || got[1] != "ok      good/call" || !strings.HasPrefix(got[2], "1 scenario") || got[3] != "" {
		t.Errorf("the screen shows %q", got)
	}
	if !strings.Contains(sent, "\x1b[32mok\x1b[0m") {
		t.Errorf("no colour on a terminal: %q", sent)
	}
	for _, env := range []string{"NO_COLOR=1", "TERM=dumb"} {
		sent := onTerminal(t, []string{env}, "run", file)
		if strings.Contains(sent, "\x1b[32m") || env == "TERM=dumb" && strings.Contains(sent, "\x1b") {
			t.Errorf("%s: %q", env, sent)
		}
		if got := screen(t, sent); len(got) != 4 || got[0] != "ok      good/plain" {
			t.Errorf("%s: the screen shows %q", env, got)
		}
	}
	// What goes to machines is not coloured on a terminal either.
	if sent := onTerminal(t, nil, "run", "-json", "-", file); strings.Contains(sent, "\x1b[32m") {
		t.Errorf("-json -: %q", sent)
	}
	// A mistake leaves no bar.
	person, program := pseudoTerminal(t)
	defer person.Close()
	cmd := exec.Command("bench", "run", "-run", "nothing", file)
	cmd.Stdout, cmd.Stderr = program, program
	cmd.Start()
	program.Close()
	b, _ := io.ReadAll(person)
	cmd.Wait()
	if got := screen(t, string(b)); len(got) != 2 || !strings.HasPrefix(got[0], "bench run: no variant's name matches") {
		t.Errorf("the screen shows %q", got)
	}
}
