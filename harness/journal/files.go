package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/harnessbench/bench/harness/env"
)

// The files of a session's folder.
const (
	TranscriptFile = "transcript.jsonl" // what the loop says happened, one record a line
	AuditFile      = "audit.jsonl"      // one entry a record, each sealing the one before
	HeadFile       = "audit.head"       // how far the audit ledger had come when it was last anchored
	LockFile       = "lock"             // held by the process that records
	RepairFile     = "repair"           // exists only while Open repairs what a crash left
)

// partSuffix ends the name of a file that is written before it takes its name.
const partSuffix = ".part"

// Version is the version of the format, in every session record.
const Version = 1

// ErrNoSession: the folder holds no session. Its creation may have been
// interrupted before the first record; then Create may begin again.
var ErrNoSession = errors.New("no session here: create one, or name the folder of one")

// ErrExists: Create found a session.
var ErrExists = errors.New("the folder holds a session already: open it, or choose another folder")

// stat says whether a file of ours is there, and refuses one that is no regular
// file: a link would let a session write where it was not asked to (H6).
func stat(f env.FS, name string) (size int64, exists bool, err error) {
	info, err := f.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return 0, false, nil
	case err != nil:
		return 0, false, inFile(name, err)
	case !info.Mode().IsRegular():
		return 0, true, &CorruptError{name, 0, "not a regular file but " + modeWord(info.Mode()), "a regular file: a session follows no links"}
	}
	return info.Size(), true, nil
}

func modeWord(m fs.FileMode) string {
	switch {
	case m&fs.ModeSymlink != 0:
		return "a symbolic link"
	case m.IsDir():
		return "a folder"
	}
	return "a special file"
}

// lock takes the session's lock.
func lock(f env.FS) (unlock func() error, err error) {
	if _, _, err := stat(f, LockFile); err != nil {
		return nil, err
	}
	unlock, err = f.Lock(LockFile)
	if errors.Is(err, env.ErrLocked) {
		return nil, fmt.Errorf("%s: the session is %w: wait until that ends, or stop it", LockFile, env.ErrLocked)
	}
	return unlock, inFile(LockFile, err)
}

// inFile puts a file's name before what went wrong with it; an error of the file
// system says it too, in the middle.
func inFile(name string, err error) error {
	if err == nil {
		return nil
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %s: %w", name, p.Op, p.Err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// readSmall reads a file of at most limit bytes; nil when it is absent.
func readSmall(f env.FS, name string, limit int64) ([]byte, error) {
	size, exists, err := stat(f, name)
	if err != nil || !exists {
		return nil, err
	}
	if size > limit {
		return nil, &CorruptError{name, 0, fmt.Sprintf("%d bytes long", size), fmt.Sprintf("at most %d", limit)}
	}
	r, err := f.Open(name)
	if err != nil {
		return nil, inFile(name, err)
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, inFile(name, err)
	}
	return b, nil
}

// replace gives a file of the session's folder a new content at once, whatever
// lies where it is made.
func replace(f env.FS, name string, content []byte) error {
	part := name + partSuffix
	if err := removeIfThere(f, part); err != nil {
		return err
	}
	_, err := env.Replace(f, ".", name, part, content)
	return err
}

func removeIfThere(f env.FS, name string) error {
	if _, err := f.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return f.Remove(name)
}

// cut shortens a file to size bytes, durably.
func cut(f env.FS, name string, open env.File, size int64) error {
	if err := f.Truncate(name, size); err != nil {
		return fmt.Errorf("%s: cutting it to %d bytes: %w", name, size, err)
	}
	if err := open.Sync(); err != nil {
		return fmt.Errorf("%s: syncing it after it was cut: %w", name, err)
	}
	return nil
}
