package sim

import (
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Disk is a file system that knows what of it is durable.
//
// A file is its content and a log of what was done to the content since its
// last sync. A folder is its entries and, apart from them, the entries that are
// durable; creations, removals and renames wait in one log for a SyncDir of
// their folder. A kill changes nothing here: written bytes are the kernel's. A
// power cut (PowerCut) keeps what was synced and any part of the logs.
//
// It is pebble's idea of a crashable file system at the granularity of bytes:
// a torn line is the case a journal has to get right (H7).
type Disk struct {
	w *World

	mu      sync.Mutex
	root    *node
	pending []*entryOp // folder operations that are not durable, in order
}

// node is a file or a folder, apart from its name.
type node struct {
	folder bool
	time   time.Time // of its last change

	// a file
	data   []byte   // as everybody sees it
	base   []byte   // as it was at the last sync: durable
	log    []change // what led from base to data
	locked bool

	// a folder
	names   map[string]*node    // as everybody sees it
	durable map[string]*node    // what a power cut leaves
	last    map[string]*entryOp // by name, the last pending operation on it
}

// change is one thing done to a file's content: bytes added, or the file cut.
type change struct {
	add []byte // nil: cut
	cut int    // to this size
}

// entryOp is one thing done to folder entries: a link (to alone), an unlink
// (from alone) or a rename (both, which take effect together).
type entryOp struct {
	node     *node
	from, to place
	needs    [2]*entryOp // earlier ones on the same names
	done     bool        // durable
}

type place struct {
	folder *node
	name   string
}

// home is the folder whose SyncDir makes the operation durable.
func (o *entryOp) home() *node {
	if o.to.folder != nil {
		return o.to.folder
	}
	return o.from.folder
}

func newDisk(w *World) *Disk { return &Disk{w: w, root: newFolder(w.Now())} }

func newFolder(at time.Time) *node {
	return &node{folder: true, time: at, names: map[string]*node{}}
}

// append adds bytes at the end. Bytes once written are never changed in place:
// log, base and readers keep slices of them.
func (n *node) append(b []byte) {
	if len(b) == 0 {
		return
	}
	if cap(n.data)-len(n.data) < len(b) { // append alone grows a long file by a quarter
		n.data = slices.Grow(n.data, max(len(b), len(n.data)))
	}
	n.data = append(n.data, b...)
	end := len(n.data)
	n.log = append(n.log, change{add: n.data[end-len(b) : end : end]})
}

func (n *node) truncate(size int) {
	if size == len(n.data) {
		return
	}
	n.data = n.data[:size:size] // the next append moves it
	n.log = append(n.log, change{cut: size})
}

func (n *node) sync() {
	n.base = n.data[:len(n.data):len(n.data)]
	clear(n.log)
	n.log = n.log[:0]
}

// link, unlink and rename change what everybody sees, and log it.

func (d *Disk) link(to place, n *node) {
	to.folder.names[to.name] = n
	d.log(&entryOp{node: n, to: to})
}

func (d *Disk) unlink(from place) {
	n := from.folder.names[from.name]
	delete(from.folder.names, from.name)
	d.log(&entryOp{node: n, from: from})
}

func (d *Disk) rename(from, to place) {
	n := from.folder.names[from.name]
	delete(from.folder.names, from.name)
	to.folder.names[to.name] = n
	d.log(&entryOp{node: n, from: from, to: to})
}

func (d *Disk) log(o *entryOp) {
	now := d.w.Now()
	for i, p := range []place{o.from, o.to} {
		if p.folder == nil {
			continue
		}
		p.folder.time = now
		if before := p.folder.last[p.name]; before != nil && !before.done {
			o.needs[i] = before
		}
		if p.folder.last == nil {
			p.folder.last = map[string]*entryOp{}
		}
		p.folder.last[p.name] = o
	}
	d.pending = append(d.pending, o)
}

// commit makes an operation durable, and what it builds on: a file system's own
// journal keeps the order of what happened to one name.
func (o *entryOp) commit() {
	if o.done {
		return
	}
	for _, before := range o.needs {
		if before != nil {
			before.commit()
		}
	}
	o.done = true
	if f := o.from; f.folder != nil {
		delete(f.folder.durable, f.name)
	}
	if t := o.to; t.folder != nil {
		if t.folder.durable == nil {
			t.folder.durable = map[string]*node{}
		}
		t.folder.durable[t.name] = o.node
	}
}

func (d *Disk) syncDir(folder *node) {
	for _, o := range d.pending {
		if o.home() == folder {
			o.commit()
		}
	}
	d.forgetDone()
}

func (d *Disk) forgetDone() {
	d.pending = slices.DeleteFunc(d.pending, func(o *entryOp) bool {
		if o.done {
			for _, p := range []place{o.from, o.to} {
				if p.folder != nil && p.folder.last[p.name] == o {
					delete(p.folder.last, p.name)
				}
			}
			o.needs = [2]*entryOp{}
		}
		return o.done
	})
}

// find resolves a clean name, as the kernel does.
func (d *Disk) find(name string) (*node, error) {
	n := d.root
	for part := range parts(name) {
		if !n.folder {
			return nil, syscall.ENOTDIR
		}
		if n = n.names[part]; n == nil {
			return nil, syscall.ENOENT
		}
	}
	return n, nil
}

// parent resolves all but the last part of a name.
func (d *Disk) parent(name string) (place, error) {
	dir, base := path.Split(name)
	n, err := d.find(strings.TrimSuffix(dir, "/"))
	if err == nil && !n.folder {
		err = syscall.ENOTDIR
	}
	return place{n, base}, err
}

func parts(name string) func(func(string) bool) {
	if name == "." || name == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitSeq(name, "/")
}

func (d *Disk) mkdirAll(name string) error {
	n, rest := d.root, 0
	for part := range parts(name) {
		rest += len(part) + 1
		if !n.folder {
			return syscall.ENOTDIR
		}
		next := n.names[part]
		switch {
		case next == nil:
			next = newFolder(d.w.Now())
			d.link(place{n, part}, next)
		case !next.folder && rest > len(name):
			return syscall.EEXIST // as mkdir of the last part says
		}
		n = next
	}
	return nil
}

// makeRoot makes the folder that a machine's file system is rooted at: it was
// there before the machine was, so it is durable.
func (d *Disk) makeRoot(name string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	before := len(d.pending)
	if err := d.mkdirAll(name); err != nil {
		panic("sim: " + name + " cannot be the root of a file system: " + err.Error())
	}
	for _, o := range d.pending[before:] {
		o.commit()
	}
	d.forgetDone()
}

// walk visits every file that entries (current or durable ones) lead to, in
// order of its name.
func walk(n *node, at string, entries func(*node) map[string]*node, visit func(name string, n *node)) {
	names := entries(n)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		full := path.Join(at, name)
		if next := names[name]; next.folder {
			walk(next, full, entries, visit)
		} else {
			visit(full, next)
		}
	}
}

func current(n *node) map[string]*node { return n.names }

// Image returns the bytes of every file by name.
func (d *Disk) Image() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	image := map[string][]byte{}
	walk(d.root, "", current, func(name string, n *node) { image[name] = append([]byte{}, n.data...) })
	return image
}

// Settle makes everything on the disk durable, as hours of idling would.
func (d *Disk) Settle() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, o := range d.pending {
		o.commit()
	}
	d.forgetDone()
	walk(d.root, "", current, func(_ string, n *node) { n.sync() })
}
