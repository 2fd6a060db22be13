package sim

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/env"
)

// Env returns the machine as a loop sees it, with its file system rooted at the
// folder dir of the disk, which is made, durably, when it is absent. All Envs
// of a world see the same disk.
func (m *Machine) Env(dir string) env.Env {
	if err := env.CheckName("root", dir); err != nil {
		panic("sim: " + err.Error())
	}
	return env.Env{
		Clock: clock{m},
		FS:    &view{m, m.w.Files(dir), dir},
		Probe: fencedProbe{m},
		IDs:   seededIDs{m},
		Seed:  m.w.seed,
	}
}

type fencedProbe struct{ m *Machine }

func (p fencedProbe) Hit(s env.Site) error {
	if err := p.m.alive(); err != nil || p.m.probe == nil {
		return err
	}
	return p.m.probe.Hit(s)
}

type seededIDs struct{ m *Machine }

// Session derives an id from seed, life and count, so that a life after a
// restart makes none that an earlier one has made.
func (s seededIDs) Session() string {
	m := s.m
	m.w.mu.Lock()
	defer m.w.mu.Unlock()
	m.ids++
	x := m.w.seed<<20 ^ uint64(m.life)<<10 ^ uint64(m.ids)
	for range 2 { // splitmix64's finalizer is a bijection: different inputs, different ids
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		x ^= x >> 31
	}
	return fmt.Sprintf("s%016x", x)
}

// view is a life's file system: it fences, counts, breaks and traces each
// operation, and passes it to the disk below, a simulated or a real one.
type view struct {
	m    *Machine
	base env.FS
	dir  string
}

func (v *view) name(name string) string { return path.Join(v.dir, name) }

// do does one operation that has no bytes, on the file that the caller calls name.
func (v *view) do(o Op, name string, f func() error, trace ...evidence.Step) error {
	a, err := v.m.op(o)
	if err != nil {
		return failed(o.Kind, name, err)
	}
	if a.Then == nil || a.After {
		if err := f(); err != nil {
			return err
		}
		for _, s := range trace {
			v.m.w.Trace(s)
		}
	}
	if a.Then != nil {
		return failed(o.Kind, name, a.Then())
	}
	return nil
}

func (v *view) Append(name string) (env.File, error) {
	return v.openFile(Op{Kind: OpAppend, File: v.name(name)}, name, func() (env.File, error) { return v.base.Append(name) })
}

func (v *view) Create(name string) (env.File, error) {
	o := Op{Kind: OpCreate, File: v.name(name)}
	return v.openFile(o, name, func() (env.File, error) {
		before, _ := v.base.Lstat(name)
		f, err := v.base.Create(name)
		if err == nil && before != nil && before.Size() > 0 {
			v.m.w.Trace(evidence.Step{Kind: evidence.StepTruncate, File: o.File})
		}
		return f, err
	})
}

func (v *view) openFile(o Op, name string, open func() (env.File, error)) (env.File, error) {
	var f env.File
	err := v.do(o, name, func() (err error) { f, err = open(); return err })
	if err != nil {
		if f != nil {
			f.Close()
		}
		return nil, err
	}
	h := &handle{m: v.m, base: f, name: name, full: o.File}
	v.m.w.mu.Lock()
	v.m.open[h] = struct{}{}
	v.m.w.mu.Unlock()
	return h, nil
}

func (v *view) Open(name string) (io.ReadCloser, error) {
	o := Op{Kind: OpOpen, File: v.name(name)}
	var r io.ReadCloser
	err := v.do(o, name, func() (err error) { r, err = v.base.Open(name); return err })
	if err != nil {
		if r != nil {
			r.Close()
		}
		return nil, err
	}
	h := &handle{m: v.m, base: r, name: name, full: o.File}
	v.m.w.mu.Lock()
	v.m.open[h] = struct{}{}
	v.m.w.mu.Unlock()
	return &reader{h, r}, nil
}

func (v *view) Truncate(name string, size int64) error {
	o := Op{Kind: OpTruncate, File: v.name(name), Bytes: int(size)}
	return v.do(o, name, func() error { return v.base.Truncate(name, size) },
		evidence.Step{Kind: evidence.StepTruncate, File: o.File, Len: size})
}

func (v *view) Rename(from, to string) error {
	o := Op{Kind: OpRename, File: v.name(from), To: v.name(to)}
	return v.do(o, from, func() error { return v.base.Rename(from, to) },
		evidence.Step{Kind: evidence.StepRename, From: o.File, File: o.To})
}

func (v *view) Remove(name string) error {
	o := Op{Kind: OpRemove, File: v.name(name)}
	return v.do(o, name, func() error { return v.base.Remove(name) },
		evidence.Step{Kind: evidence.StepRemove, File: o.File})
}

func (v *view) MkdirAll(name string) error {
	return v.do(Op{Kind: OpMkdir, File: v.name(name)}, name, func() error { return v.base.MkdirAll(name) })
}

func (v *view) SyncDir(name string) error {
	o := Op{Kind: OpSyncDir, File: v.name(name)}
	return v.do(o, name, func() error { return v.base.SyncDir(name) },
		evidence.Step{Kind: evidence.StepSyncDir, File: o.File})
}

func (v *view) ReadDir(name string) (list []fs.DirEntry, err error) {
	err = v.do(Op{Kind: OpReadDir, File: v.name(name)}, name, func() (err error) {
		list, err = v.base.ReadDir(name)
		return err
	})
	return list, err
}

func (v *view) Lstat(name string) (i fs.FileInfo, err error) {
	err = v.do(Op{Kind: OpLstat, File: v.name(name)}, name, func() (err error) {
		i, err = v.base.Lstat(name)
		return err
	})
	return i, err
}

// Lock's lock ends with unlock or with the life, whichever comes first.
func (v *view) Lock(name string) (func() error, error) {
	var unlock func() error
	err := v.do(Op{Kind: OpLock, File: v.name(name)}, name, func() (err error) {
		unlock, err = v.base.Lock(name)
		return err
	})
	if err != nil {
		if unlock != nil {
			unlock()
		}
		return nil, err
	}
	v.m.w.mu.Lock()
	v.m.held = append(v.m.held, unlock)
	v.m.w.mu.Unlock()
	return func() error {
		if err := v.m.alive(); err != nil {
			return nil // the life's end has freed it
		}
		return unlock()
	}, nil
}

// handle is an open file of a life.
type handle struct {
	m    *Machine
	base io.Closer // an env.File or an io.ReadCloser
	name string    // as the caller calls it
	full string    // on the disk
}

func (h *handle) Write(b []byte) (int, error) {
	o := Op{Kind: OpWrite, File: h.full, Bytes: len(b)}
	a, err := h.m.op(o)
	if err != nil {
		return 0, failed(OpWrite, h.name, err)
	}
	if a.Then == nil {
		return h.write(b)
	}
	keep := min(max(a.Keep, 0), len(b))
	if a.After {
		keep = len(b)
	}
	if keep > 0 {
		if n, err := h.write(b[:keep]); err != nil {
			return n, err
		}
	}
	if err = a.Then(); err == nil && keep < len(b) {
		err = io.ErrShortWrite
	}
	return keep, failed(OpWrite, h.name, err)
}

func (h *handle) write(b []byte) (int, error) {
	n, err := h.base.(env.File).Write(b)
	if n > 0 {
		h.m.w.Trace(evidence.Step{Kind: evidence.StepAppend, File: h.full, Len: h.size()})
	}
	return n, err
}

func (h *handle) Sync() error {
	o := Op{Kind: OpSync, File: h.full}
	a, err := h.m.op(o)
	if err != nil {
		return failed(OpSync, h.name, err)
	}
	if a.Then == nil || a.After {
		if err := h.base.(env.File).Sync(); err != nil {
			return err
		}
		h.m.w.Trace(evidence.Step{Kind: evidence.StepSync, File: h.full, Len: h.size()})
	}
	if a.Then != nil {
		return failed(OpSync, h.name, a.Then())
	}
	return nil
}

// size asks the disk: the file may have been cut, or have another handle.
func (h *handle) size() int64 { return h.base.(interface{ Size() int64 }).Size() }

func (h *handle) Close() error {
	if err := h.m.alive(); err != nil {
		return nil // the life's end has closed it
	}
	h.m.w.mu.Lock()
	delete(h.m.open, h)
	h.m.w.mu.Unlock()
	return h.base.Close()
}

// reader is a handle for reading.
type reader struct {
	h *handle
	r io.Reader
}

func (r *reader) Close() error { return r.h.Close() }

func (r *reader) Read(b []byte) (n int, err error) {
	o := Op{Kind: OpRead, File: r.h.full, Bytes: len(b)}
	a, err := r.h.m.op(o)
	if err != nil {
		return 0, failed(OpRead, r.h.name, err)
	}
	if a.Then == nil || a.After {
		if n, err = r.r.Read(b); err != nil {
			return n, err
		}
	}
	if a.Then != nil {
		return 0, failed(OpRead, r.h.name, a.Then())
	}
	return n, nil
}

var (
	_ env.FS   = (*view)(nil)
	_ env.FS   = (*diskFS)(nil)
	_ env.File = (*handle)(nil)
)

// realDir is where a folder of the disk lies with OnRealDisk.
func (w *World) realDir(dir string) string { return filepath.Join(w.real, filepath.FromSlash(dir)) }
