//go:build !linux

package env

import "os"

// fdatasync is F_FULLFSYNC on macOS, where fsync alone stops in the drive's cache.
func fdatasync(f *os.File) error { return f.Sync() }
