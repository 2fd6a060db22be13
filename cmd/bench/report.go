package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/harnessbench/bench/scenarios"
)

// A reporter writes results down, in order, and the summary at the end.
type reporter interface {
	result(scenarios.Result)
	summary(scenarios.Summary) error
}

// filed is a report that goes into a file.
type filed struct {
	reporter
	f *reportFile
}

func (r *filed) summary(s scenarios.Summary) error {
	err := r.reporter.summary(s)
	if err == nil {
		err = r.f.keep()
	}
	if err != nil {
		return fmt.Errorf("the report %s cannot be written: %w", r.f.name, reason(err))
	}
	return nil
}

// reportFile is a file that takes its name, in place of the one that has it,
// only when it is whole. Devices and pipes are written as they are: a file in
// the place of /dev/null would be worse than half a report.
type reportFile struct {
	io.Writer
	name string
	keep func() error
	drop func() error // does nothing behind keep
}

func openReport(name string) (*reportFile, error) {
	bad := func(err error) (*reportFile, error) {
		return nil, fmt.Errorf("the report %s cannot be written: %w", name, reason(err))
	}
	target := name
	if t, err := filepath.EvalSymlinks(name); err == nil {
		target = t // a link stays one
	}
	switch info, err := os.Stat(target); {
	case err == nil && info.IsDir():
		return bad(errors.New("it is a folder; name a file"))
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(target, os.O_WRONLY, 0)
		if err != nil {
			return bad(err)
		}
		return &reportFile{f, name, f.Close, f.Close}, nil
	}
	f, err := renameio.NewPendingFile(target, renameio.WithTempDir(filepath.Dir(target)),
		renameio.WithPermissions(0o644), renameio.WithExistingPermissions())
	if err != nil {
		return bad(err)
	}
	return &reportFile{f, name, f.CloseAtomicallyReplace, f.Cleanup}, nil
}

// reason is what an error of the file system says, without the path of a
// temporary file that the reader never named.
func reason(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
