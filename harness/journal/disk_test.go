package journal

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

// TestMain: the sweeps make much garbage and keep little.
func TestMain(m *testing.M) {
	debug.SetGCPercent(1000)
	os.Exit(m.Run())
}

// disk is a file system in memory that can die at any operation, and can then
// say everything that a power cut may have left of it.
type disk struct {
	dir    map[string]*inode // as the running system sees it
	stable map[string]*inode // as of the last SyncDir
	dirOps []dirOp
	links  map[string]fs.FileMode // names that are no regular file

	ops    int // operations that change something, so far
	killAt int // die at this one; 0: never
	tear   int // bytes that a write that dies, or fails, still writes
	failAt int // fail at this one
	err    error
	short  bool // the failing write reports no error, only a short count
	size   int  // bytes of the last write
	locked bool
	dead   bool
	log    []string
}

type inode struct {
	data   []byte
	synced []byte // what is safe
	whole  bool   // since the last sync it was only appended to
}

// dirOp is one change of the folder: a name made for a file, moved, or removed.
type dirOp struct {
	file     *inode // made
	from, to string
}

func (o dirOp) do(dir map[string]*inode) {
	f := o.file
	if f == nil {
		if f = dir[o.from]; f == nil {
			return // what would have made it was lost
		}
		delete(dir, o.from)
	}
	if o.to != "" {
		dir[o.to] = f
	}
}

// clone copies a disk, with what of it is not safe yet.
func (d *disk) clone() *disk {
	inodes := map[*inode]*inode{nil: nil}
	of := func(f *inode) *inode {
		if inodes[f] == nil && f != nil {
			inodes[f] = &inode{slices.Clone(f.data), slices.Clone(f.synced), f.whole}
		}
		return inodes[f]
	}
	c := newDisk()
	for name, f := range d.dir {
		c.dir[name] = of(f)
	}
	for name, f := range d.stable {
		c.stable[name] = of(f)
	}
	for _, o := range d.dirOps {
		o.file = of(o.file)
		c.dirOps = append(c.dirOps, o)
	}
	return c
}

type killed struct{ op string }

func newDisk() *disk { return &disk{dir: map[string]*inode{}, stable: map[string]*inode{}} }

// diskOf returns a disk that holds files safely.
func diskOf(files map[string]string) *disk {
	d := newDisk()
	for name, s := range files {
		d.dir[name] = &inode{data: []byte(s), synced: []byte(s), whole: true}
	}
	d.stable = maps.Clone(d.dir)
	return d
}

func (d *disk) files() map[string]string {
	m := map[string]string{}
	for name, f := range d.dir {
		m[name] = string(f.data)
	}
	return m
}

// next counts an operation and says how many bytes of it happen: all of n, or
// fewer and then an error or the end.
func (d *disk) next(op string, n int) (int, error, bool) {
	if d.dead {
		panic(killed{"after the end: " + op})
	}
	d.ops++
	d.log = append(d.log, op)
	d.size = n
	switch d.ops {
	case d.killAt:
		return min(n, d.tear), nil, true
	case d.failAt:
		return min(n, d.tear), d.err, false
	}
	return n, nil, false
}

// step is next for operations that happen or do not.
func (d *disk) step(op string) error {
	_, err, die := d.next(op, 0)
	if die {
		d.die(op)
	}
	return err
}

func (d *disk) die(op string) {
	d.dead = true
	panic(killed{op})
}

func (d *disk) look(name string) (*inode, error) {
	if d.dead {
		panic(killed{"after the end"})
	}
	if _, ok := d.links[name]; ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("too many levels of symbolic links")}
	}
	if f := d.dir[name]; f != nil {
		return f, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (d *disk) change(o dirOp) {
	o.do(d.dir)
	d.dirOps = append(d.dirOps, o)
}

func (d *disk) Append(name string) (env.File, error) {
	f, err := d.look(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err := d.step("create " + name); err != nil {
			return nil, err
		}
		f = &inode{whole: true}
		d.change(dirOp{file: f, to: name})
	} else if err != nil {
		return nil, err
	}
	return &handle{d, f, name}, nil
}

func (d *disk) Open(name string) (io.ReadCloser, error) {
	f, err := d.look(name)
	if err != nil {
		return nil, err
	}
	return io.NopCloser(bytes.NewReader(slices.Clone(f.data))), nil
}

func (d *disk) Create(name string) (env.File, error) {
	if err := d.step("empty " + name); err != nil {
		return nil, err
	}
	f := &inode{whole: true}
	d.change(dirOp{file: f, to: name})
	return &handle{d, f, name}, nil
}

func (d *disk) Truncate(name string, size int64) error {
	f, err := d.look(name)
	if err != nil {
		return err
	}
	if err := d.step("truncate " + name); err != nil {
		return err
	}
	if int(size) != len(f.data) {
		f.data, f.whole = slices.Clone(f.data[:size]), false
	}
	return nil
}

func (d *disk) Rename(from, to string) error {
	if err := d.step("rename " + from + " " + to); err != nil {
		return err
	}
	d.change(dirOp{from: from, to: to})
	return nil
}

func (d *disk) Remove(name string) error {
	if err := d.step("remove " + name); err != nil {
		return err
	}
	d.change(dirOp{from: name})
	return nil
}

func (d *disk) MkdirAll(string) error { return d.step("mkdir") }

func (d *disk) SyncDir(string) error {
	if err := d.step("syncdir"); err != nil {
		return err
	}
	d.stable, d.dirOps = maps.Clone(d.dir), nil
	return nil
}

func (d *disk) ReadDir(string) ([]fs.DirEntry, error) { panic("unused") }

func (d *disk) Lstat(name string) (fs.FileInfo, error) {
	if m, ok := d.links[name]; ok {
		return info{name, 0, m}, nil
	}
	f, err := d.look(name)
	if err != nil {
		return nil, err
	}
	return info{name, int64(len(f.data)), 0o600}, nil
}

func (d *disk) Lock(string) (func() error, error) {
	if d.locked {
		return nil, env.ErrLocked
	}
	d.locked = true
	return func() error { d.locked = false; return nil }, nil
}

type info struct {
	name string
	size int64
	mode fs.FileMode
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }

type handle struct {
	d    *disk
	f    *inode
	name string
}

func (h *handle) Write(b []byte) (int, error) {
	n, err, die := h.d.next("write "+h.name, len(b))
	h.f.data = append(h.f.data, b[:n]...)
	if die {
		h.d.die("write " + h.name)
	}
	if n < len(b) && err == nil && !h.d.short {
		err = io.ErrShortWrite
	}
	return n, err
}

func (h *handle) Sync() error {
	if err := h.d.step("sync " + h.name); err != nil {
		return err
	}
	h.f.synced, h.f.whole = slices.Clone(h.f.data), true
	return nil
}

func (h *handle) Close() error { return nil }

// powerCuts yields every disk that a power cut may leave: any subset of the
// unsynced directory operations that keeps their order on each name, and of each file the safe bytes with a prefix
// of the rest, or with NUL bytes for a part of the rest, at every stride-th byte.
// (All prefixes are among what kills leave.)
func (d *disk) powerCuts(stride int, try func(files map[string]string)) {
	for set := range 1 << len(d.dirOps) {
		if !d.ordered(set) {
			continue
		}
		dir := maps.Clone(d.stable)
		for i, op := range d.dirOps {
			if set&(1<<i) != 0 {
				op.do(dir)
			}
		}
		names := slices.Sorted(maps.Keys(dir))
		files := map[string]string{}
		var each func(i int)
		each = func(i int) {
			if i == len(names) {
				try(maps.Clone(files))
				return
			}
			for _, v := range dir[names[i]].variants(stride) {
				files[names[i]] = v
				each(i + 1)
			}
		}
		each(0)
	}
}

// ordered reports whether each operation in the set comes with those before it
// on the same names: a file system's own journal keeps their order.
func (d *disk) ordered(set int) bool {
	lost := map[string]bool{}
	for i, o := range d.dirOps {
		in := set&(1<<i) != 0
		if in && (lost[o.from] || lost[o.to]) {
			return false
		}
		for _, name := range []string{o.from, o.to} {
			lost[name] = name != "" && (lost[name] || !in)
		}
	}
	return true
}

func (f *inode) variants(stride int) []string {
	safe, now := string(f.synced), string(f.data)
	if safe == now {
		return []string{now}
	}
	if !f.whole || len(now) < len(safe) {
		return []string{safe, now} // cut, and the cut not synced
	}
	rest := now[len(safe):]
	nul := string(make([]byte, len(rest)))
	var vs []string
	for i := 0; i < len(rest); i += stride {
		vs = append(vs, safe+rest[:i], safe+rest[:i]+nul[i:], safe+nul[:i]+rest[i:])
	}
	return append(vs, safe+rest[:len(rest)-1], now, safe+nul)
}
