package journal

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

func realEnv(t testing.TB, dir string) env.Env {
	t.Helper()
	e, err := env.Real(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestRealDisk runs the whole life of a session on the real file system.
func TestRealDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "s")
	e := realEnv(t, dir)
	sample(t, e)
	if _, _, err := Create(e, "s1", Record{}); !errors.Is(err, ErrExists) {
		t.Errorf("a second Create: %v", err)
	}
	read := func() map[string]string {
		m := map[string]string{}
		for _, name := range ledgers {
			b, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			m[name] = string(b)
		}
		return m
	}
	if err := verifyFiles(read()); err != nil {
		t.Error(err)
	}
	f, err := os.OpenFile(filepath.Join(dir, TranscriptFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"seq":`)
	f.Close()
	j, l := openAll(t, e)
	if len(l.Quarantined) != 1 || l.Quarantined[0].Text != `{"seq":` {
		t.Errorf("quarantined: %+v", l.Quarantined)
	}
	if _, _, err := Open(realEnv(t, dir)); !errors.Is(err, env.ErrLocked) || !strings.HasPrefix(err.Error(), "lock: the session is held by another process: wait") {
		t.Errorf("while it is open: %v", err)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if err := verifyFiles(read()); err != nil {
		t.Error(err)
	}
	list, err := os.ReadDir(dir)
	if err != nil || len(list) != 4 {
		t.Errorf("the folder holds %v, %v", list, err)
	}
	for _, name := range ledgers {
		if err := os.Rename(filepath.Join(dir, name), filepath.Join(dir, "real")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink("real", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Open(e); err == nil || err.Error() != name+": not a regular file but a symbolic link; want a regular file: a session follows no links" {
			t.Errorf("%s is a link: %v", name, err)
		}
		if err := os.Rename(filepath.Join(dir, "real"), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	openAll(t, e)
}

// TestRefusalLeavesNoTrace: a folder that is refused does not even get a lock.
func TestRefusalLeavesNoTrace(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, TranscriptFile), []byte("my notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := realEnv(t, dir)
	if _, _, err := Create(e, "s1", Record{}); err == nil {
		t.Error("created")
	}
	if _, _, err := Open(e); err == nil {
		t.Error("opened")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("the folder holds %v, %v", list, err)
	}
}

// TestRealKill ends a process that records with SIGKILL, again and again: what
// it had told anyone about is there, and the session goes on.
func TestRealKill(t *testing.T) {
	const childDir = "JOURNAL_TEST_CHILD"
	if dir := os.Getenv(childDir); dir != "" {
		e := realEnv(t, dir)
		j, l, err := Open(e)
		if errors.Is(err, ErrNoSession) {
			j, _, err = Create(e, "s1", Record{})
			l = &Loaded{}
		}
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("start", len(l.Records))
		for {
			r, s := &Record{Kind: KindNotice, Text: strings.Repeat("x", 5000)}, &Record{Kind: KindNotice}
			if err := j.Commit("why", r, s); err != nil {
				fmt.Println(err)
				os.Exit(1)
			}
			fmt.Println("told", s.Seq)
		}
	}
	dir := t.TempDir()
	told := int64(0)
	for round := range 8 {
		c := exec.Command(os.Args[0], "-test.run=^TestRealKill$")
		c.Env = append(os.Environ(), childDir+"="+dir)
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		in := bufio.NewScanner(out)
		for n := 0; in.Scan(); n++ {
			if _, err := fmt.Sscanf(in.Text(), "told %d", &told); err != nil && !strings.HasPrefix(in.Text(), "start") {
				t.Fatal(in.Text())
			}
			if n == 3+round {
				c.Process.Kill()
			}
		}
		c.Wait()
		e := realEnv(t, dir)
		j, l := openAll(t, e)
		if n := int64(len(l.Records)); n < told {
			t.Fatalf("record %d was told of, %d are there", told, n)
		}
		j.Close()
	}
}
