package sim

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

// One table of what a file system does, run on the real one, on the simulated
// disk, and on a machine's view of either. A line is an operation and, behind
// =>, its result: what was read, ok, or the kind of the error.
var conformance = []struct{ name, script string }{
	{"append makes a file and adds to it", `
		append a hello => ok
		append a world => ok
		read a => helloworld
		lstat a => file 10 a
		list . => a`},
	{"create empties a file", `
		create a hello => ok
		create a hi => ok
		read a => hi
		create b => ok
		lstat b => file 0 b`},
	{"what is missing", `
		read a => not exist
		truncate a 0 => not exist
		remove a => not exist
		rename a b => not exist
		lstat a => not exist
		list a => not exist
		syncdir a => not exist
		append a/b x => not exist
		create a/b x => not exist
		lock a/b l => not exist
		rename a/b c => not exist
		list . =>`},
	{"a folder where a file belongs", `
		mkdir d => ok
		append d x => not regular
		create d x => not regular
		read d => not regular
		truncate d 0 => not regular
		lock d l => not regular
		append . x => not regular
		read . => not regular`},
	{"a file where a folder belongs", `
		append a x => ok
		append a/b x => not a folder
		create a/b x => not a folder
		read a/b => not a folder
		lstat a/b => not a folder
		truncate a/b 0 => not a folder
		remove a/b => not a folder
		list a => not a folder
		syncdir a => not a folder
		mkdir a => exist
		mkdir a/b => not a folder
		mkdir a/b/c => not a folder
		rename a/b c => not a folder
		rename a a/b => not a folder
		rename c a/b => not a folder
		lock a/b l => not a folder`},
	{"folders", `
		mkdir d/e/f => ok
		mkdir d/e => ok
		mkdir . => ok
		append d/e/a x => ok
		append d/z x => ok
		list d => e z
		list d/e => a f
		list . => d
		lstat d => folder d
		lstat d/e => folder e
		lstat . => folder .
		syncdir d/e => ok
		syncdir . => ok
		remove d/e => exist
		remove d/e/f => ok
		remove d/e/a => ok
		remove d/e => ok
		list d => z`},
	{"truncate", `
		append a hello => ok
		truncate a 9 => invalid
		truncate a -1 => invalid
		truncate a 5 => ok
		truncate a 2 => ok
		read a => he
		append a y => ok
		read a => hey`},
	{"an open file follows a truncation", `
		open h a => ok
		write h hello => ok
		truncate a 1 => ok
		write h ! => ok
		sync h => ok
		read a => h!`},
	{"an open file follows a rename", `
		open h a => ok
		write h x => ok
		rename a b => ok
		write h y => ok
		append a new => ok
		read b => xy
		read a => new`},
	{"an open file outlives its name", `
		open h a => ok
		remove a => ok
		write h x => ok
		sync h => ok
		read a => not exist
		close h => ok`},
	{"a created file is appended to", `
		creat h a => ok
		write h hello => ok
		truncate a 0 => ok
		write h x => ok
		read a => x`},
	{"a reader sees what is appended later", `
		append a one => ok
		reader r a => ok
		next r => one
		next r => end
		append a two => ok
		next r => two
		close r => ok
		next r => closed
		close r => closed`},
	{"after close", `
		open h a => ok
		close h => ok
		write h x => closed
		sync h => closed
		close h => closed`},
	{"rename", `
		append a one => ok
		append b two => ok
		mkdir d/e => ok
		rename a b => ok
		read b => one
		read a => not exist
		rename b b => ok
		rename b d/c => ok
		read d/c => one
		append f x => ok
		rename f d => exist
		rename f d/e => exist
		rename d/e f => not a folder
		rename d d => exist
		rename d d/e/g => invalid argument
		rename d g => ok
		read g/c => one
		rename g/c h/c => not exist
		list . => f g`},
	{"names", `
		append ../a x => invalid
		append /a x => invalid
		append a/../b x => invalid
		append a//b x => invalid
		append ./a x => invalid
		append a/ x => invalid
		create ../a => invalid
		read ../a => invalid
		truncate ../a 0 => invalid
		rename ../a b => invalid
		rename b ../a => invalid
		remove .. => invalid
		mkdir ../d => invalid
		syncdir .. => invalid
		list .. => invalid
		lstat .. => invalid
		lock ../a l => invalid`},
	{"locks", `
		lock l one => ok
		list . => l
		lock l two => locked
		unlock one => ok
		unlock one => ok
		lock l three => ok
		lock l four => locked
		unlock one => ok
		lock l five => locked
		append l x => ok
		read l => x
		remove l => ok
		lock l six => ok
		unlock three => ok
		lock l seven => locked`},
}

// kind names an error by what a caller can ask it.
func kind(err error) string {
	for _, k := range []struct {
		err  error
		name string
	}{
		{nil, "ok"}, {env.ErrLocked, "locked"}, {env.ErrNotRegular, "not regular"}, {fs.ErrNotExist, "not exist"}, {fs.ErrExist, "exist"},
		{fs.ErrInvalid, "invalid"}, {fs.ErrClosed, "closed"}, {syscall.ENOTDIR, "not a folder"}, {syscall.EINVAL, "invalid argument"}, {io.EOF, "end"},
	} {
		if errors.Is(err, k.err) {
			return k.name
		}
	}
	return err.Error()
}

// session is one run of a script.
type session struct {
	f       env.FS
	files   map[string]env.File
	readers map[string]io.ReadCloser
	locks   map[string]func() error
}

func (s *session) do(op []string) string {
	arg := func(i int) string {
		if i < len(op) {
			return op[i]
		}
		return ""
	}
	write := func(h env.File, err error) error {
		if err != nil {
			return err
		}
		n, err := io.WriteString(h, arg(2))
		if err == nil && n != len(arg(2)) {
			err = io.ErrShortWrite
		}
		return errors.Join(err, h.Sync(), h.Close())
	}
	switch name := arg(1); op[0] {
	case "append":
		return kind(write(s.f.Append(name)))
	case "create":
		return kind(write(s.f.Create(name)))
	case "read":
		r, err := s.f.Open(name)
		if err != nil {
			return kind(err)
		}
		defer r.Close()
		b, err := io.ReadAll(r)
		if err != nil {
			return kind(err)
		}
		return string(b)
	case "truncate":
		size := int64(0)
		fmt.Sscan(arg(2), &size)
		return kind(s.f.Truncate(name, size))
	case "rename":
		return kind(s.f.Rename(name, arg(2)))
	case "remove":
		return kind(s.f.Remove(name))
	case "mkdir":
		return kind(s.f.MkdirAll(name))
	case "syncdir":
		return kind(s.f.SyncDir(name))
	case "list":
		list, err := s.f.ReadDir(name)
		if err != nil {
			return kind(err)
		}
		var names []string
		for _, e := range list {
			if i, err := e.Info(); err != nil || i.IsDir() != e.IsDir() || i.Name() != e.Name() {
				return fmt.Sprint("Info: ", i, err)
			}
			names = append(names, e.Name())
		}
		return strings.Join(names, " ")
	case "lstat":
		i, err := s.f.Lstat(name)
		switch {
		case err != nil:
			return kind(err)
		case i.IsDir() && (i.Mode() == fs.ModeDir|0o700 || name == "."):
			return "folder " + i.Name()
		case i.Mode() == 0o600 && !i.ModTime().IsZero():
			return fmt.Sprint("file ", i.Size(), " ", i.Name())
		}
		return fmt.Sprint(i.Mode())
	case "open", "creat":
		make := s.f.Append
		if op[0] == "creat" {
			make = s.f.Create
		}
		h, err := make(arg(2))
		s.files[name] = h
		return kind(err)
	case "write":
		_, err := io.WriteString(s.files[name], arg(2))
		return kind(err)
	case "sync":
		return kind(s.files[name].Sync())
	case "close":
		if r := s.readers[name]; r != nil {
			return kind(r.Close())
		}
		return kind(s.files[name].Close())
	case "reader":
		r, err := s.f.Open(arg(2))
		s.readers[name] = r
		return kind(err)
	case "next":
		b := make([]byte, 100)
		n, err := s.readers[name].Read(b)
		if n > 0 {
			return string(b[:n])
		}
		return kind(err)
	case "lock":
		unlock, err := s.f.Lock(name)
		s.locks[arg(2)] = unlock
		return kind(err)
	case "unlock":
		return kind(s.locks[name]())
	}
	return "no such operation in this test"
}

func TestConformance(t *testing.T) {
	for place, open := range map[string]func(t *testing.T) env.FS{
		"real": func(t *testing.T) env.FS {
			e, err := env.Real(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return e.FS
		},
		"disk":                       func(t *testing.T) env.FS { return NewWorld(0).Files(".") },
		"folder of the disk":         func(t *testing.T) env.FS { return NewWorld(0).Files("deep/er") },
		"machine":                    func(t *testing.T) env.FS { return NewWorld(0).Boot(nil).Env("session").FS },
		"machine on the real disk":   func(t *testing.T) env.FS { return NewWorld(0, OnRealDisk(t.TempDir())).Boot(nil).Env(".").FS },
		"its folder on the real one": func(t *testing.T) env.FS { return NewWorld(0, OnRealDisk(t.TempDir())).Boot(nil).Env("a/b").FS },
	} {
		t.Run(place, func(t *testing.T) {
			for _, c := range conformance {
				s := &session{open(t), map[string]env.File{}, map[string]io.ReadCloser{}, map[string]func() error{}}
				for line := range strings.Lines(c.script) {
					if line = strings.TrimSpace(line); line == "" {
						continue
					}
					op, want, _ := strings.Cut(line, "=>")
					if got := s.do(strings.Fields(op)); got != strings.TrimSpace(want) {
						t.Errorf("%s: %s=> %s, want %s", c.name, op, got, strings.TrimSpace(want))
					}
				}
			}
		})
	}
}
