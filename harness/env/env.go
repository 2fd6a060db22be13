// Package env is the machine as the agent loop sees it: a clock that also
// starts tasks, a file system, a probe with named points, a source of ids.
//
// Everything in package harness and below waits, starts tasks, cancels and
// touches the disk through these interfaces and through nothing else. That is
// what lets package sim run the same code on a simulated machine, in virtual
// time, one task at a time, and kill it at any point. A test over the syntax
// tree (TestForbidden in this package) keeps the rule.
//
// Real returns the real machine:
//
//	e, err := env.Real("/home/me/sessions/s0123456789abcdef")
//	f, err := e.FS.Append("transcript.jsonl")
//	...
//	ctx, idle := e.Clock.WithTimer(ctx, errIdle)
//	idle.Reset(30 * time.Second)
package env

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// Env is one machine, handed to a session when it is opened.
type Env struct {
	Clock Clock
	FS    FS // rooted at the session's folder
	Probe Probe
	IDs   IDs
	Seed  uint64 // jitter and every other choice derive from it
}

// Clock is time and tasks. On the simulated machine one task of a run moves at
// a time and virtual time advances only when none can move.
type Clock interface {
	Now() time.Time
	// Sleep returns nil after d, or the cause of ctx's end if that comes first
	// (an end that came before the call always does). With d <= 0 it lets the
	// other tasks go first.
	Sleep(ctx context.Context, d time.Duration) error
	// Go starts a task. name appears in reports of what was left running.
	Go(name string, f func())
	// Note makes a latch for one waiter: a Set before the Wait is not lost.
	Note() Note
	// WithCancel is context.WithCancelCause: Err of the ended context is
	// context.Canceled, context.Cause tells why.
	WithCancel(parent context.Context) (context.Context, context.CancelCauseFunc)
	// WithTimer returns a context that ends with cause once the timer runs
	// out. The timer is not running until Reset. Stop releases it. As with
	// WithCancel, Err is context.Canceled: who needs to know a timeout from an
	// abort asks context.Cause, in one way for both.
	WithTimer(parent context.Context, cause error) (context.Context, Timer)
	// External runs f, which blocks on the real world (a child process, a
	// socket). Virtual time rests meanwhile and other tasks may run. Of the
	// machine, f itself uses nothing but Note.Set and cancel functions.
	External(f func())
}

// Timer ends a context. It is used by one task.
type Timer interface {
	Reset(d time.Duration) // starts it, or moves its end to d from now
	Stop()                 // ends the context (as cancelled, without the timer's cause) and releases it
}

// Note is a latch of one.
type Note interface {
	Set()
	// Wait returns nil once the note is set, and clears it; or the cause of
	// ctx's end. When both hold the note wins. at says in a report what was being waited for.
	Wait(ctx context.Context, at string) error
}

// FS is the file system below one folder. Names are slash-separated, relative,
// clean (CheckName), and cannot leave the folder, not through a link either.
// Where a file belongs, anything but a regular file, a link to one included, is
// refused with ErrNotRegular, and nothing blocks on opening it. An error is a
// *fs.PathError or *os.LinkError with the name as it was given.
type FS interface {
	// Append opens a regular file for appending and creates it when absent
	// (O_APPEND|O_NOFOLLOW, mode 0600); a new directory entry is durable only
	// after SyncDir.
	Append(name string) (File, error)
	// Open opens a regular file for reading.
	Open(name string) (io.ReadCloser, error)
	// Create makes a new file or empties an old one, for writing.
	Create(name string) (File, error)
	// Truncate cuts a file to size bytes, never grows it (fs.ErrInvalid);
	// durable after the next Sync of the file.
	Truncate(name string, size int64) error
	Rename(from, to string) error
	Remove(name string) error
	MkdirAll(name string) error
	// SyncDir makes the directory's entries durable. "." is the root.
	SyncDir(name string) error
	ReadDir(name string) ([]fs.DirEntry, error)
	// Lstat does not follow a link in the last element.
	Lstat(name string) (fs.FileInfo, error)
	// Lock takes an exclusive lock named by a file, without waiting. It fails
	// with ErrLocked when another process holds it; the lock ends with the
	// process. The unlock function is idempotent.
	Lock(name string) (unlock func() error, err error)
}

// File is an open file. Every write goes to the end of the file and is whole
// unless it returns an error.
type File interface {
	io.WriteCloser
	Sync() error
}

// ErrLocked is returned, wrapped, by FS.Lock when somebody else holds the lock.
var ErrLocked error = lockedError{}

type lockedError struct{}

func (lockedError) Error() string { return "held by another process" }

// IDs makes ids for things that outlive the process. On the real machine they
// are random; on the simulated one they derive from the seed.
type IDs interface {
	// Session returns a new session id: "s" and 16 lower-case hex digits.
	Session() string
}
