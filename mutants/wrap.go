package mutants

import (
	"io"

	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
)

// subscriber is a function as a subscriber.
type subscriber func(harness.Event) error

func (f subscriber) Publish(e harness.Event) error { return f(e) }

// probe tells see of every visit before the real probe.
type probe struct {
	env.Probe
	see func(env.Site)
}

func (p probe) Hit(s env.Site) error {
	p.see(s)
	return p.Probe.Hit(s)
}

// fs leaves some operations out and says that they were done: those for which
// a function is set and returns false.
type fs struct {
	env.FS
	write, sync, truncate func(name string) bool
}

func (f *fs) Append(name string) (env.File, error) {
	h, err := f.FS.Append(name)
	if err != nil {
		return nil, err
	}
	return &file{h, f, name}, nil
}

func (f *fs) Truncate(name string, size int64) error {
	if f.truncate != nil && !f.truncate(name) {
		return nil
	}
	return f.FS.Truncate(name, size)
}

type file struct {
	env.File
	fs   *fs
	name string
}

func (f *file) Write(b []byte) (int, error) {
	if f.fs.write != nil && !f.fs.write(f.name) {
		return len(b), nil
	}
	return f.File.Write(b)
}

func (f *file) Sync() error {
	if f.fs.sync != nil && !f.fs.sync(f.name) {
		return nil
	}
	return f.File.Sync()
}

var _ io.Writer = (*file)(nil)
