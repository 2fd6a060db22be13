package env

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

func realMachine(t *testing.T) (FS, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "sessions", "one") // Real makes both
	e, err := Real(dir)
	if err != nil {
		t.Fatal(err)
	}
	return e.FS, dir
}

// Whatever is not a regular file is refused, at once and with a sentence, by
// everything that wants one (H6).
func TestNotRegular(t *testing.T) {
	f, dir := realMachine(t)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.WriteFile(filepath.Join(dir, "file"), []byte("content"), 0o600))
	must(os.Mkdir(filepath.Join(dir, "folder"), 0o700))
	must(syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(os.Symlink("file", filepath.Join(dir, "link")))
	must(os.Symlink("nowhere", filepath.Join(dir, "dangling")))
	must(os.Symlink("/etc/passwd", filepath.Join(dir, "outside")))
	kinds := map[string]string{
		"folder": "folder", "pipe": "named pipe", "link": "symbolic link", "dangling": "symbolic link", "outside": "symbolic link",
	}
	ops := map[string]func(name string) error{
		"append":   func(n string) error { _, err := f.Append(n); return err },
		"create":   func(n string) error { _, err := f.Create(n); return err },
		"open":     func(n string) error { _, err := f.Open(n); return err },
		"truncate": func(n string) error { return f.Truncate(n, 0) },
		"lock":     func(n string) error { _, err := f.Lock(n); return err },
	}
	for op, do := range ops {
		for name, kind := range kinds {
			err := do(name)
			if !errors.Is(err, ErrNotRegular) || !strings.Contains(fmt.Sprint(err), kind) || !strings.Contains(err.Error(), name) {
				t.Errorf("%s %s: %v, want ErrNotRegular that says %q", op, name, err, kind)
			}
		}
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "file")); string(got) != "content" {
		t.Errorf("the file behind the link became %q", got)
	}
	if _, err := os.Lstat(filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the target of the dangling link: %v", err)
	}
	if err := f.SyncDir("pipe"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("SyncDir of a pipe: %v", err) // and it must not block
	}
	if _, err := f.ReadDir("pipe"); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("ReadDir of a pipe: %v", err)
	}
}

// No name and no link leads out of the folder.
func TestConfined(t *testing.T) {
	f, dir := realMachine(t)
	outside := filepath.Join(filepath.Dir(dir), "secret")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("..", filepath.Join(dir, "up")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"up/secret", "../secret", outside, "a/../../secret"} {
		tries := map[string]error{}
		_, tries["append"] = f.Append(name)
		_, tries["create"] = f.Create(name)
		_, tries["open"] = f.Open(name)
		_, tries["lstat"] = f.Lstat(name)
		_, tries["lock"] = f.Lock(name)
		_, tries["readdir"] = f.ReadDir(filepath.Dir(name))
		tries["truncate"] = f.Truncate(name, 0)
		tries["remove"] = f.Remove(name)
		tries["rename from"] = f.Rename(name, "here")
		tries["rename to"] = f.Rename("here", name)
		tries["mkdir"] = f.MkdirAll(name)
		for op, err := range tries {
			if err == nil {
				t.Errorf("%s %s is allowed", op, name)
			}
		}
	}
	if got, _ := os.ReadFile(outside); string(got) != "secret" {
		t.Errorf("the file outside became %q", got)
	}
}

func TestModes(t *testing.T) {
	f, dir := realMachine(t)
	for _, make := range []func(string) (File, error){f.Append, f.Create} {
		h, err := make("file")
		if err != nil {
			t.Fatal(err)
		}
		h.Close()
		info, _ := os.Stat(filepath.Join(dir, "file"))
		if info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, want 0600", info.Mode())
		}
		os.Remove(filepath.Join(dir, "file"))
	}
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("folder: mode %v, want 0700", info.Mode())
	}
}

// Somebody puts something else in the file's place between our look at it and
// its opening: nothing blocks, no link is followed, and only what lies there in
// the end is opened.
func TestReplacedWhileOpening(t *testing.T) {
	things := map[string]struct {
		put  func(name string) error
		want error
	}{
		"nothing":      {func(string) error { return nil }, nil},
		"another file": {func(n string) error { return os.WriteFile(n, []byte("new"), 0o600) }, nil},
		"a folder":     {func(n string) error { return os.Mkdir(n, 0o700) }, ErrNotRegular},
		"a pipe":       {func(n string) error { return syscall.Mkfifo(n, 0o600) }, ErrNotRegular},
		"a link":       {func(n string) error { return os.Symlink("other", n) }, ErrNotRegular},
		"a loose link": {func(n string) error { return os.Symlink("nowhere", n) }, ErrNotRegular},
		"a link in it": {func(n string) error { return os.Symlink(".", n) }, ErrNotRegular},
		"a link to pipe": {func(n string) error {
			return errors.Join(syscall.Mkfifo(n+".pipe", 0o600), os.Symlink("file.pipe", n))
		}, ErrNotRegular},
	}
	for thing, tt := range things {
		for _, existed := range []bool{true, false} {
			f, dir := realMachine(t)
			name, other := filepath.Join(dir, "file"), filepath.Join(dir, "other")
			if err := os.WriteFile(other, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if existed {
				if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			looks := 0
			f.(*realFS).looked = func() {
				if looks++; looks > 1 {
					return
				}
				os.Remove(name)
				if err := tt.put(name); err != nil {
					t.Error(err)
				}
			}
			h, err := f.Append("file")
			if !errors.Is(err, tt.want) {
				t.Errorf("%s in place of a file (existed: %v): %v, want %v", thing, existed, err, tt.want)
			}
			if err != nil {
				continue
			}
			h.Write([]byte("+"))
			h.Close()
			want := map[string]string{"nothing": "+", "another file": "new+"}[thing]
			if b, err := os.ReadFile(name); string(b) != want {
				t.Errorf("%s: the file has %q, %v, want %q", thing, b, err, want)
			}
			if b, err := os.ReadFile(other); len(b) > 0 || err != nil {
				t.Errorf("%s: the file behind the link has %q, %v", thing, b, err)
			}
			if _, err := os.Lstat(filepath.Join(dir, "nowhere")); err == nil {
				t.Errorf("%s: a loose link made its file", thing)
			}
		}
	}
}

func TestLockExcludes(t *testing.T) {
	f, dir := realMachine(t)
	unlock, err := f.Lock("lock")
	if err != nil {
		t.Fatal(err)
	}
	e, err := Real(dir) // another open in this process
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []FS{f, e.FS} {
		if _, err := other.Lock("lock"); !errors.Is(err, ErrLocked) {
			t.Fatalf("the second lock: %v, want ErrLocked", err)
		}
	}
	if err := errors.Join(unlock(), unlock()); err != nil {
		t.Fatalf("unlock twice: %v", err)
	}
	unlock, err = e.FS.Lock("lock")
	if err != nil {
		t.Fatalf("after unlock: %v", err)
	}
	unlock()
}

// TestLockEndsWithItsProcess: another process holds the lock, is killed, and
// the lock is free.
func TestLockEndsWithItsProcess(t *testing.T) {
	if dir := os.Getenv("BENCH_TEST_LOCK"); dir != "" {
		e, err := Real(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.FS.Lock("lock"); err != nil {
			t.Fatal(err)
		}
		fmt.Println("locked")
		io.ReadAll(os.Stdin)
		return
	}
	f, dir := realMachine(t)
	child := exec.Command(os.Args[0], "-test.run=^TestLockEndsWithItsProcess$")
	child.Env = append(os.Environ(), "BENCH_TEST_LOCK="+dir)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "locked\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	if _, err := f.Lock("lock"); !errors.Is(err, ErrLocked) {
		t.Errorf("while the other process lives: %v, want ErrLocked", err)
	}
	child.Process.Kill()
	child.Wait()
	unlock, err := f.Lock("lock")
	if err != nil {
		t.Fatalf("after its death: %v", err)
	}
	unlock()
}

func TestIDs(t *testing.T) {
	e, err := Real(t.TempDir(), WithSeed(7), WithProbe(NoProbe{}))
	if err != nil {
		t.Fatal(err)
	}
	a, b := e.IDs.Session(), e.IDs.Session()
	if a == b || !regexp.MustCompile(`^s[0-9a-f]{16}$`).MatchString(a) {
		t.Errorf("ids %q and %q", a, b)
	}
	if e.Seed != 7 {
		t.Errorf("seed %d, want 7", e.Seed)
	}
}

func TestRealRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Real(dir); err == nil || !strings.Contains(err.Error(), "folder") {
			t.Errorf("Real(%s): %v", dir, err)
		}
	}
}

// The cost of a durable append over that of the two bare system calls.
func BenchmarkAppendSync(b *testing.B) {
	line := []byte(strings.Repeat("x", 199) + "\n")
	b.Run("env", func(b *testing.B) {
		e, err := Real(b.TempDir())
		if err != nil {
			b.Fatal(err)
		}
		f, err := e.FS.Append("file")
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			f.Write(line)
			f.Sync()
		}
	})
	b.Run("bare", func(b *testing.B) {
		fd, err := syscall.Open(filepath.Join(b.TempDir(), "file"), syscall.O_WRONLY|syscall.O_CREAT|syscall.O_APPEND, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			syscall.Write(fd, line)
			bareSync(fd)
		}
	})
}
