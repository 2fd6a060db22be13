package env

import (
	"fmt"
	"io/fs"
	"strings"
)

// ErrNotRegular is returned, wrapped, where a regular file belongs and
// something else lies: a folder, a link, a named pipe, a socket, a device.
var ErrNotRegular error = notRegular("something else lies where a regular file belongs")

// NotRegular returns the error for something of mode m that lies where a
// regular file belongs. It is ErrNotRegular for errors.Is.
func NotRegular(op, name string, m fs.FileMode) error {
	what := "a device"
	switch {
	case m.IsDir():
		what = "a folder"
	case m&fs.ModeSymlink != 0:
		what = "a symbolic link"
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	}
	return &fs.PathError{Op: op, Path: name, Err: notRegular("it is " + what + "; a regular file belongs there")}
}

type notRegular string

func (e notRegular) Error() string      { return string(e) }
func (notRegular) Is(target error) bool { _, ok := target.(notRegular); return ok }

// CheckName reports whether a name is one that an FS takes: relative,
// slash-separated, without empty, "." or ".." elements and without a NUL; "."
// alone is the root. The error is fs.ErrInvalid for errors.Is.
func CheckName(op, name string) error {
	if fs.ValidPath(name) && !strings.Contains(name, "\x00") {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: badName{}}
}

type badName struct{}

func (badName) Error() string {
	return "not a name here: names are relative, slash-separated and have no empty, \".\" or \"..\" part"
}
func (badName) Is(target error) bool { return target == fs.ErrInvalid }

// NotShorter returns the error of a Truncate to a size that a file of that
// length cannot be cut to. It is fs.ErrInvalid for errors.Is.
func NotShorter(name string, size, length int64) error {
	return &fs.PathError{Op: "truncate", Path: name, Err: notShorter{size, length}}
}

type notShorter struct{ size, length int64 }

func (e notShorter) Error() string {
	return fmt.Sprintf("a file of %d bytes cannot be cut to %d", e.length, e.size)
}
func (notShorter) Is(target error) bool { return target == fs.ErrInvalid }
