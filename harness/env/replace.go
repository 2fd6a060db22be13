package env

import "errors"

// Replace gives a file a new content at once: after a crash it has the old one
// or the new one, and after Replace the new one for good. The content is made
// at temp, in the same folder dir; what a crash left there is overwritten, and
// anything but a regular file refused. With an error, unsure tells that the
// file may have its new content all the same.
func Replace(f FS, dir, name, temp string, content []byte) (unsure bool, err error) {
	w, err := f.Create(temp)
	if err != nil {
		return false, err
	}
	_, err = w.Write(content)
	if err == nil {
		err = w.Sync()
	}
	if err = errors.Join(err, w.Close()); err != nil {
		_ = f.Remove(temp)
		return false, err
	}
	if err := f.Rename(temp, name); err != nil {
		_ = f.Remove(temp) // where it was renamed all the same, nothing is there
		return true, err
	}
	return true, f.SyncDir(dir)
}
