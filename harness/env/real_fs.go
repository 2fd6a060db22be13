package env

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// realFS is the file system below one folder. os.Root keeps every name inside
// it; what os.Root does not do, it resolves a link that stays inside, regular
// does: refuse everything but a regular file (H6).
type realFS struct {
	root   *os.Root
	looked func() // for a test: called between the look at a name and its opening
}

// regular opens a regular file, and creates it when create says so.
//
// The name is looked at before it is opened, because opening a named pipe or a
// device can block or do something. In between somebody may put another thing
// there, so what was opened must be what was looked at: an existing file is
// opened without O_CREATE and compared, a new one is made with O_EXCL, which
// follows no link. O_NONBLOCK makes sure that the race cannot block either.
func (r *realFS) regular(op, name string, flag int, create bool) (*os.File, error) {
	if err := CheckName(op, name); err != nil {
		return nil, err
	}
	for range 8 {
		before, err := r.root.Lstat(name)
		if r.looked != nil {
			r.looked()
		}
		var f *os.File
		switch {
		case err == nil && !before.Mode().IsRegular():
			return nil, NotRegular(op, name, before.Mode())
		case err == nil:
			f, err = r.root.OpenFile(name, flag|syscall.O_NONBLOCK, 0)
			if create && errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.EISDIR) || errors.Is(err, syscall.ENXIO) {
				continue // removed just now, or a folder or a pipe without a reader was put there
			}
		case create && errors.Is(err, fs.ErrNotExist):
			f, err = r.root.OpenFile(name, flag|syscall.O_NONBLOCK|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				continue // made just now
			}
		}
		if err != nil {
			return nil, wrap(op, name, err)
		}
		after, err := f.Stat()
		if err == nil && (before == nil || os.SameFile(before, after)) {
			return f, nil
		}
		f.Close()
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: errors.New("somebody keeps replacing the file; a session's folder belongs to one process")}
}

func (r *realFS) Append(name string) (File, error) {
	f, err := r.regular("append", name, os.O_WRONLY|os.O_APPEND, true)
	if err != nil {
		return nil, err
	}
	return &realFile{f, name}, nil
}

func (r *realFS) Create(name string) (File, error) {
	f, err := r.regular("create", name, os.O_WRONLY|os.O_APPEND, true)
	if err != nil {
		return nil, err
	}
	if err := f.Truncate(0); err != nil { // not O_TRUNC: only now is it known to be a regular file
		f.Close()
		return nil, wrap("create", name, err)
	}
	return &realFile{f, name}, nil
}

func (r *realFS) Open(name string) (io.ReadCloser, error) {
	f, err := r.regular("open", name, os.O_RDONLY, false)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func (r *realFS) Truncate(name string, size int64) error {
	f, err := r.regular("truncate", name, os.O_WRONLY, false)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil && (size < 0 || size > info.Size()) {
		return NotShorter(name, size, info.Size())
	}
	if err == nil {
		err = f.Truncate(size)
	}
	return wrap("truncate", name, err)
}

func (r *realFS) Rename(from, to string) error {
	if err := CheckName("rename", from); err != nil {
		return err
	}
	if err := CheckName("rename", to); err != nil {
		return err
	}
	err := r.root.Rename(from, to)
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: bare(err)}
}

func (r *realFS) Remove(name string) error {
	if err := CheckName("remove", name); err != nil {
		return err
	}
	return wrap("remove", name, r.root.Remove(name))
}

func (r *realFS) MkdirAll(name string) error {
	if err := CheckName("mkdir", name); err != nil {
		return err
	}
	if name == "." {
		return nil
	}
	return wrap("mkdir", name, r.root.MkdirAll(name, 0o700))
}

// folder opens a folder, and nothing else.
func (r *realFS) folder(op, name string) (*os.File, error) {
	if err := CheckName(op, name); err != nil {
		return nil, err
	}
	f, err := r.root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, wrap(op, name, err)
	}
	return f, nil
}

func (r *realFS) SyncDir(name string) error {
	f, err := r.folder("syncdir", name)
	if err != nil {
		return err
	}
	defer f.Close()
	return wrap("syncdir", name, f.Sync())
}

func (r *realFS) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := r.folder("readdir", name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, wrap("readdir", name, err)
}

func (r *realFS) Lstat(name string) (fs.FileInfo, error) {
	if err := CheckName("lstat", name); err != nil {
		return nil, err
	}
	info, err := r.root.Lstat(name)
	return info, wrap("lstat", name, err)
}

// Lock uses flock(2), not fcntl: flock belongs to the open file, so two opens
// in one process exclude each other too, and no close of another descriptor
// drops it. The name is compared after locking, because somebody may have
// removed the file while we waited for nothing: then the lock is on a ghost.
func (r *realFS) Lock(name string) (func() error, error) {
	for {
		f, err := r.regular("lock", name, os.O_RDWR, true)
		if err != nil {
			return nil, err
		}
		if err := flock(f, unix.LOCK_EX|unix.LOCK_NB); err != nil {
			f.Close()
			if errors.Is(err, unix.EWOULDBLOCK) {
				err = ErrLocked
			}
			return nil, wrap("lock", name, err)
		}
		ours, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, wrap("lock", name, err)
		}
		if named, err := r.root.Lstat(name); err == nil && os.SameFile(ours, named) {
			return sync.OnceValue(func() error {
				return wrap("unlock", name, errors.Join(flock(f, unix.LOCK_UN), f.Close()))
			}), nil
		}
		f.Close()
	}
}

func flock(f *os.File, how int) error {
	for {
		err := control(f, func(fd int) error { return unix.Flock(fd, how) })
		if err != unix.EINTR {
			return err
		}
	}
}

// control runs a system call on f's descriptor, which stays open meanwhile.
func control(f *os.File, call func(fd int) error) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := c.Control(func(fd uintptr) { failed = call(int(fd)) }); err != nil {
		return fs.ErrClosed // the one reason, for which it has an error of its own
	}
	return failed
}

// realFile is an open file. os.File loops over short writes and interrupts.
type realFile struct {
	f    *os.File
	name string
}

func (f *realFile) Write(b []byte) (int, error) {
	n, err := f.f.Write(b)
	return n, wrap("write", f.name, err)
}

func (f *realFile) Sync() error  { return wrap("sync", f.name, fdatasync(f.f)) }
func (f *realFile) Close() error { return wrap("close", f.name, f.f.Close()) }

// Size returns the file's length; package sim asks for it to write its trace.
func (f *realFile) Size() int64 {
	info, err := f.f.Stat()
	if err != nil {
		return 0
	}
	return info.Size()
}

// wrap gives an error the name as the caller knows it.
func wrap(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: bare(err)}
}

func bare(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	if e, ok := err.(*os.LinkError); ok {
		return e.Err
	}
	if e, ok := err.(*os.SyscallError); ok {
		return e.Err
	}
	return err
}
