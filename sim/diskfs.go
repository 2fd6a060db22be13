package sim

import (
	"bytes"
	"cmp"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

// diskFS is env.FS on a Disk, below one folder, with the errors that a real one
// returns (the conformance test runs both). It knows no lives: view does.
type diskFS struct {
	d   *Disk
	dir string
}

// do runs f on the full name, with the disk's lock held, and dresses its error.
func (v *diskFS) do(op, name string, f func(full string) error) error {
	if err := env.CheckName(op, name); err != nil {
		return err
	}
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	err := f(path.Join(v.dir, name))
	if errno, ok := err.(syscall.Errno); ok {
		return &fs.PathError{Op: op, Path: name, Err: errno}
	}
	return err
}

// file finds a regular file, and creates it when create says so. Lock held.
func (v *diskFS) file(op, name, full string, create bool) (*node, error) {
	n, err := v.d.find(full)
	switch {
	case err == nil && n.folder:
		return nil, env.NotRegular(op, name, fs.ModeDir)
	case err == syscall.ENOENT && create:
		at, err := v.d.parent(full)
		if err != nil {
			return nil, err
		}
		n = &node{time: v.d.w.Now()}
		v.d.link(at, n)
		return n, nil
	}
	return n, err
}

func (v *diskFS) Append(name string) (env.File, error) {
	var n *node
	err := v.do("append", name, func(full string) (err error) {
		n, err = v.file("append", name, full, true)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &diskFile{d: v.d, n: n, name: name}, nil
}

func (v *diskFS) Create(name string) (env.File, error) {
	var n *node
	err := v.do("create", name, func(full string) (err error) {
		if n, err = v.file("create", name, full, true); err == nil {
			n.truncate(0)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &diskFile{d: v.d, n: n, name: name}, nil
}

func (v *diskFS) Open(name string) (io.ReadCloser, error) {
	var n *node
	err := v.do("open", name, func(full string) (err error) {
		n, err = v.file("open", name, full, false)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &diskReader{d: v.d, n: n, name: name}, nil
}

func (v *diskFS) Truncate(name string, size int64) error {
	return v.do("truncate", name, func(full string) error {
		n, err := v.file("truncate", name, full, false)
		if err != nil {
			return err
		}
		if size < 0 || size > int64(len(n.data)) {
			return env.NotShorter(name, size, int64(len(n.data)))
		}
		n.truncate(int(size))
		n.time = v.d.w.Now()
		return nil
	})
}

func (v *diskFS) Rename(from, to string) error {
	if err := env.CheckName("rename", from); err != nil {
		return err
	}
	if err := env.CheckName("rename", to); err != nil {
		return err
	}
	v.d.mu.Lock()
	defer v.d.mu.Unlock()
	if err := v.rename(from, to); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
	}
	return nil
}

// rename makes the checks of os.Root.Rename and of the kernel, in their order.
func (v *diskFS) rename(from, to string) error {
	if from == "." || to == "." {
		return syscall.EBUSY
	}
	a, err := v.d.parent(path.Join(v.dir, from))
	if err != nil {
		return err
	}
	b, err := v.d.parent(path.Join(v.dir, to))
	if err != nil {
		return err
	}
	n, over := a.folder.names[a.name], b.folder.names[b.name]
	switch {
	case n == nil:
		return syscall.ENOENT
	case over != nil && over.folder:
		return syscall.EEXIST
	case n.folder && (from == to || len(to) > len(from) && to[:len(from)+1] == from+"/"):
		return syscall.EINVAL // into itself
	case n.folder && over != nil:
		return syscall.ENOTDIR
	case n == over:
		return nil
	}
	v.d.rename(a, b)
	return nil
}

func (v *diskFS) Remove(name string) error {
	return v.do("remove", name, func(full string) error {
		if name == "." {
			return syscall.EINVAL
		}
		n, err := v.d.find(full)
		if err != nil {
			return err
		}
		if n.folder && len(n.names) > 0 {
			return syscall.ENOTEMPTY
		}
		at, err := v.d.parent(full)
		if err == nil {
			v.d.unlink(at)
		}
		return err
	})
}

func (v *diskFS) MkdirAll(name string) error {
	return v.do("mkdir", name, v.d.mkdirAll)
}

func (v *diskFS) folder(full string) (*node, error) {
	n, err := v.d.find(full)
	if err == nil && !n.folder {
		err = syscall.ENOTDIR
	}
	return n, err
}

func (v *diskFS) SyncDir(name string) error {
	return v.do("syncdir", name, func(full string) error {
		n, err := v.folder(full)
		if err == nil {
			v.d.syncDir(n)
		}
		return err
	})
}

func (v *diskFS) ReadDir(name string) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	err := v.do("readdir", name, func(full string) error {
		n, err := v.folder(full)
		if err != nil {
			return err
		}
		for name, below := range n.names {
			list = append(list, fs.FileInfoToDirEntry(infoOf(name, below)))
		}
		slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
		return nil
	})
	return list, err
}

func (v *diskFS) Lstat(name string) (fs.FileInfo, error) {
	var i info
	err := v.do("lstat", name, func(full string) error {
		n, err := v.d.find(full)
		if err == nil {
			i = infoOf(path.Base(name), n)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return i, nil
}

// Lock holds the file, not the name, as flock does. It ends with unlock, or
// with the life, which calls unlock.
func (v *diskFS) Lock(name string) (func() error, error) {
	var n *node
	err := v.do("lock", name, func(full string) (err error) {
		if n, err = v.file("lock", name, full, true); err != nil {
			return err
		}
		if n.locked {
			return &fs.PathError{Op: "lock", Path: name, Err: env.ErrLocked}
		}
		n.locked = true
		return nil
	})
	if err != nil {
		return nil, err
	}
	return sync.OnceValue(func() error {
		v.d.mu.Lock()
		defer v.d.mu.Unlock()
		n.locked = false
		return nil
	}), nil
}

// info is fs.FileInfo.
type info struct {
	name   string
	size   int64
	folder bool
	time   time.Time
}

func infoOf(name string, n *node) info { return info{name, int64(len(n.data)), n.folder, n.time} }

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) ModTime() time.Time { return i.time }
func (i info) IsDir() bool        { return i.folder }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.folder {
		return fs.ModeDir | 0o700
	}
	return 0o600
}

// diskFile is an open file, for writing at its end.
type diskFile struct {
	d      *Disk
	n      *node
	name   string
	closed bool
}

func (f *diskFile) Write(b []byte) (int, error) {
	now := f.d.w.Now()
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: fs.ErrClosed}
	}
	f.n.append(b)
	f.n.time = now
	return len(b), nil
}

func (f *diskFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return &fs.PathError{Op: "sync", Path: f.name, Err: fs.ErrClosed}
	}
	f.n.sync()
	return nil
}

func (f *diskFile) Close() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if f.closed {
		return &fs.PathError{Op: "close", Path: f.name, Err: fs.ErrClosed}
	}
	f.closed = true
	return nil
}

func (f *diskFile) Size() int64 {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(len(f.n.data))
}

// diskReader is an open file, for reading. It sees what is appended after it
// was opened.
type diskReader struct {
	d      *Disk
	n      *node
	name   string
	at     int
	closed bool
}

func (r *diskReader) Read(b []byte) (int, error) {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	if r.closed {
		return 0, &fs.PathError{Op: "read", Path: r.name, Err: fs.ErrClosed}
	}
	if len(b) == 0 {
		return 0, nil
	}
	if r.at >= len(r.n.data) {
		return 0, io.EOF
	}
	n := copy(b, r.n.data[r.at:])
	r.at += n
	return n, nil
}

// WriteTo spares io.Copy and bytes.Buffer their small first reads.
func (r *diskReader) WriteTo(w io.Writer) (int64, error) {
	r.d.mu.Lock()
	rest := r.n.data[min(r.at, len(r.n.data)):]
	r.d.mu.Unlock()
	n, err := io.Copy(w, bytes.NewReader(rest))
	r.at += int(n)
	return n, err
}

func (r *diskReader) Close() error {
	r.d.mu.Lock()
	defer r.d.mu.Unlock()
	if r.closed {
		return &fs.PathError{Op: "close", Path: r.name, Err: fs.ErrClosed}
	}
	r.closed = true
	return nil
}
