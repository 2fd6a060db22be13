package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Workspace is the folder that the built-in tools work in. File names given to
// a tool are relative to it (or absolute and below it). Neither "..", nor an
// absolute name, nor a symbolic link leads out of it: every access goes through
// one os.Root. Named pipes, sockets and devices are refused before they are
// opened, because opening one can wait for ever.
//
// The bash tool starts in the workspace but is not confined to it: a shell can
// read and write whatever its user can.
type Workspace struct {
	root *os.Root
	dir  string // absolute, links resolved
	alt  string // absolute, as it was given
	seen seen
}

// OpenWorkspace opens a folder that exists.
func OpenWorkspace(dir string) (*Workspace, error) {
	alt, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("workspace %s: %w", dir, err)
	}
	real, err := filepath.EvalSymlinks(alt)
	if err != nil {
		return nil, fmt.Errorf("workspace %s cannot be opened: %w: make the folder first", dir, err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("workspace %s cannot be opened: %w: it must be a folder that you may read", dir, err)
	}
	return &Workspace{root: root, dir: real, alt: alt}, nil
}

// Dir returns the workspace's absolute name.
func (w *Workspace) Dir() string { return w.dir }

// Close releases the folder.
func (w *Workspace) Close() error { return w.root.Close() }

// Codes of the built-in tools' failures.
const (
	CodeNotFound    = "not_found"
	CodeDenied      = "access_denied" // outside the workspace, or not permitted
	CodeIsDirectory = "is_directory"
	CodeNotRegular  = "not_regular" // a pipe, a socket, a device, a link where none may be
	CodeBinary      = "binary_file"
	CodeConflict    = "conflict" // the file changed meanwhile
	CodeExit        = "exit_status"
)

func failf(code, format string, args ...any) error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// local turns a name given by the model into a clean name below the root.
func (w *Workspace) local(name string) (string, error) {
	if name == "" {
		return "", failf(CodeInvalid, "The path is empty. Give a path relative to the workspace, or . for the workspace itself.")
	}
	if strings.ContainsRune(name, 0) {
		return "", failf(CodeInvalid, "The path holds a NUL byte, which no file name can. Give a plain path.")
	}
	clean := filepath.ToSlash(filepath.Clean(name))
	if path.IsAbs(clean) {
		for _, dir := range []string{w.dir, w.alt} {
			dir = filepath.ToSlash(dir)
			if clean == dir {
				return ".", nil
			}
			if rest, ok := strings.CutPrefix(clean, strings.TrimSuffix(dir, "/")+"/"); ok {
				return rest, nil
			}
		}
		return "", outside(name)
	}
	return clean, nil // a ".." in front is for the root to refuse
}

func outside(name string) error {
	return failf(CodeDenied, "%s is outside the workspace. Only files in the workspace can be used: give a path relative to it.", show(name))
}

// show writes a name so that it stays one short line.
func show(name string) string {
	s := line(name, 200)
	if s != name {
		return fmt.Sprintf("%q", s)
	}
	return s
}

// explain turns an error of the file system into a sentence for the model.
func (w *Workspace) explain(err error, name string) error {
	var ours *Error
	switch {
	case errors.As(err, &ours):
		return err
	case errors.Is(err, fs.ErrNotExist):
		hint := "Use glob to see what is there."
		if n := w.similar(name); n != "" {
			hint = "Did you mean " + show(n) + "?"
		}
		return failf(CodeNotFound, "%s does not exist. %s", show(name), hint)
	case errors.Is(err, syscall.ELOOP):
		return failf(CodeDenied, "%s is a symbolic link that leads to itself. Use the real file.", show(name))
	case errors.Is(err, fs.ErrPermission):
		return failf(CodeDenied, "%s may not be used: permission denied. Use another file.", show(name))
	case errors.Is(err, syscall.ENOTDIR):
		return failf(CodeNotFound, "%s does not exist: a part of the path is a file, not a directory. Use glob to see what is there.", show(name))
	case errors.Is(err, syscall.ENAMETOOLONG):
		return failf(CodeInvalid, "The path %s is too long. Use a shorter one.", show(name))
	case strings.Contains(err.Error(), "escapes from parent"): // os.Root has no error value for it
		return outside(name)
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return failf(CodeExecution, "%s could not be used: %s.", show(name), line(err.Error(), 200))
}

// similar returns a name beside the one that does not exist.
func (w *Workspace) similar(name string) string {
	dir, base := path.Split(name)
	d, err := w.root.Open(path.Clean(dir))
	if err != nil {
		return ""
	}
	defer d.Close()
	names, err := d.Readdirnames(2000)
	if err != nil {
		return ""
	}
	slices.Sort(names)
	if n := nearest(base, names); n != "" {
		return dir + n
	}
	return ""
}

// regular refuses what must not be opened as a file.
func regular(info fs.FileInfo, name string) error {
	what := ""
	switch m := info.Mode(); {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return failf(CodeIsDirectory, "%s is a directory. Use glob with the pattern %s to list it.", show(name), show(path.Join(name, "*")))
	case m&fs.ModeNamedPipe != 0:
		what = "a named pipe"
	case m&fs.ModeSocket != 0:
		what = "a socket"
	case m&fs.ModeDevice != 0:
		what = "a device"
	case m&fs.ModeSymlink != 0:
		what = "a symbolic link"
	default:
		what = "special"
	}
	return failf(CodeNotRegular, "%s is not a regular file (it is %s). Use a regular file.", show(name), what)
}

// open opens a regular file for reading. Links are followed inside the
// workspace. A pipe is refused before it is opened; should one take the
// file's place in between, O_NONBLOCK keeps the opening from waiting.
func (w *Workspace) open(name string) (*os.File, fs.FileInfo, error) {
	info, err := w.root.Stat(name)
	if err == nil {
		err = regular(info, name)
	}
	if err != nil {
		return nil, nil, w.explain(err, name)
	}
	f, err := w.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, w.explain(err, name)
	}
	info, err = f.Stat()
	if err == nil {
		err = regular(info, name)
	}
	if err != nil {
		f.Close()
		return nil, nil, w.explain(err, name)
	}
	return f, info, nil
}

// readAll reads a whole file of at most most bytes.
func (w *Workspace) readAll(name string, most int64) ([]byte, error) {
	f, info, err := w.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	tooLarge := failf(CodeExecution, "%s is too large for this (more than %d bytes). Use bash, with sed or awk.", show(name), most)
	if info.Size() > most {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil {
		return nil, w.explain(err, name)
	}
	if int64(len(data)) > most {
		return nil, tooLarge
	}
	return data, nil
}

// replace gives a file new content, whole or not at all: the content goes into
// a new file beside it, is synced and renamed over it. check is asked right
// before the renaming. The mode of an old file is kept.
func (w *Workspace) replace(name string, data []byte, check func() error) (created bool, err error) {
	mode := fs.FileMode(0)
	switch info, err := w.root.Lstat(name); {
	case errors.Is(err, fs.ErrNotExist):
		created = true
	case err != nil:
		return false, w.explain(err, name)
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := w.root.Readlink(name)
		return false, failf(CodeNotRegular, "%s is a symbolic link to %s. Write to the file that it leads to.", show(name), show(to))
	default:
		if err := regular(info, name); err != nil {
			return false, err
		}
		if mode = info.Mode().Perm(); mode&0o200 == 0 {
			return false, failf(CodeDenied, "%s is read-only. Leave it as it is, or change its mode first.", show(name))
		}
	}
	dir := path.Dir(name)
	temp, f, err := w.temp(dir)
	if err != nil {
		return false, w.explain(err, name)
	}
	defer func() {
		if err != nil {
			_ = w.root.Remove(temp)
			err = w.explain(err, name)
		}
	}()
	_, err = f.Write(data)
	if err == nil && !created {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = w.seen.write(name, data, func() error {
			if check != nil {
				if err := check(); err != nil {
					return err
				}
			}
			return w.root.Rename(temp, name)
		})
	}
	if err != nil {
		return created, err
	}
	return created, w.syncDir(dir)
}

// temp makes a new file in dir, under a name that nobody uses.
func (w *Workspace) temp(dir string) (string, *os.File, error) {
	var err error
	for i := range 100 {
		name := path.Join(dir, fmt.Sprintf(".bench-%d.tmp", i))
		var f *os.File
		f, err = w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil {
			return name, f, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return "", nil, err
}

// syncDir makes the renaming durable. The new content is in place already, so
// a file system that cannot sync a directory is no failure.
func (w *Workspace) syncDir(dir string) error {
	d, err := w.root.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// maxVisited bounds a walk.
const maxVisited = 200_000

// files lists the regular files below base that match, sorted by name. Links
// are listed when they lead to a regular file of the workspace, and never
// descended into; a folder named .git is skipped. whole is false when the walk
// was given up because there is too much.
func (w *Workspace) files(ctx context.Context, base string, match func(name string) bool) (names []string, whole bool, err error) {
	visited := 0
	whole = true
	err = fs.WalkDir(w.root.FS(), base, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			if name == base {
				return err
			}
			return nil // a folder that may not be read, or that vanished
		}
		if visited++; visited > maxVisited {
			whole = false
			return fs.SkipAll
		}
		if visited%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case d.IsDir():
			if d.Name() == ".git" && name != base {
				return fs.SkipDir
			}
		case !match(name):
		case d.Type().IsRegular():
			names = append(names, name)
		case d.Type()&fs.ModeSymlink != 0:
			if info, err := w.root.Stat(name); err == nil && info.Mode().IsRegular() {
				names = append(names, name)
			}
		}
		return nil
	})
	if err != nil && ctx.Err() == nil {
		return nil, false, w.explain(err, base)
	}
	slices.Sort(names)
	return names, whole, err
}
