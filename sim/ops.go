package sim

import (
	"errors"
	"io/fs"
	"runtime"
	"slices"
)

// OpKind is the kind of one file system operation.
type OpKind string

// The operations. The list is closed; each is either a change or a look.
const (
	OpAppend   OpKind = "append"   // open for appending; creates the file when it is absent
	OpCreate   OpKind = "create"   // open new or emptied
	OpWrite    OpKind = "write"    // Bytes
	OpSync     OpKind = "sync"     // of a file
	OpTruncate OpKind = "truncate" // Bytes: the new size
	OpRename   OpKind = "rename"   // To
	OpRemove   OpKind = "remove"   //
	OpMkdir    OpKind = "mkdir"    // MkdirAll
	OpSyncDir  OpKind = "sync dir" //
	OpLock     OpKind = "lock"     // creates the file when it is absent
	OpOpen     OpKind = "open"     // open for reading
	OpRead     OpKind = "read"     // Bytes: room for so many
	OpReadDir  OpKind = "read dir" //
	OpLstat    OpKind = "lstat"    //
	lastChange        = OpLock     // of the list below
)

var opKinds = []OpKind{
	OpAppend, OpCreate, OpWrite, OpSync, OpTruncate, OpRename, OpRemove, OpMkdir, OpSyncDir, OpLock,
	OpOpen, OpRead, OpReadDir, OpLstat,
}

// OpKinds returns every kind of operation.
func OpKinds() []OpKind { return slices.Clone(opKinds) }

// Changes reports whether an operation of this kind changes the disk, or what
// of it is durable. A sweep over the others can find no other crash image.
func (k OpKind) Changes() bool {
	return slices.Index(opKinds, k) <= slices.Index(opKinds, lastChange)
}

// Op is one operation that a life is about to do. Closing is not one: nothing
// that matters here can fail in it.
type Op struct {
	N     int // index in the life, from 0
	Kind  OpKind
	File  string // its full name on the disk
	To    string // of a rename
	Bytes int    // see OpKind
}

// Action says what becomes of an operation. The zero Action lets it happen.
type Action struct {
	// Then, when set, is called instead of the operation, and its error is the
	// operation's. It may end the life and not return.
	Then func() error
	// Keep is how many bytes of a write happen before Then: a torn write.
	Keep int
	// After lets the whole operation happen before Then: it was done and is
	// reported as failed, or was the last thing the process did.
	After bool
}

// Fail makes an operation fail with err without happening.
func Fail(err error) Action { return Action{Then: func() error { return err }} }

// OnOp makes f see, and decide on, every file system operation of this life. It
// is all that a sweep needs: let f end the life at the k-th operation, for
// k = 0, 1, 2 ... until a life ends without a k-th one (so sweeps pebble).
// Armed faults come after it. Set it before Run, or from a task.
func (m *Machine) OnOp(f func(Op) Action) { m.hook = f }

// TearSpec is a torn write: Bytes of it reach the file, then Then is called. It
// ends the life, or returns the error of the write.
type TearSpec struct {
	Bytes int
	Then  func() error
}

// arm is a fault that waits for its operation.
type arm struct {
	kind   OpKind
	action Action
}

// ArmTear tears the next write of this life. A probe at append.torn arms it
// right before the write that it means.
func (m *Machine) ArmTear(t TearSpec) {
	m.arms = append(m.arms, arm{OpWrite, Action{Keep: t.Bytes, Then: t.Then}})
}

// ArmErr makes the next operation of the kind fail with err without happening.
// The function it returns reports whether it did.
func (m *Machine) ArmErr(kind OpKind, err error) (fired func() bool) {
	done := false
	m.arms = append(m.arms, arm{kind, Action{Then: func() error { done = true; return err }}})
	return func() bool { return done }
}

// op fences, numbers and judges one operation: a dead life's does not happen.
func (m *Machine) op(o Op) (Action, error) {
	if err := m.alive(); err != nil {
		return Action{}, err
	}
	o.N = m.ops
	m.ops++
	if m.hook != nil {
		if a := m.hook(o); a.Then != nil {
			return a, nil
		}
	}
	for i := range m.arms {
		if m.arms[i].kind == o.Kind {
			a := m.arms[i].action
			m.arms = slices.Delete(m.arms, i, i+1)
			return a, nil
		}
	}
	return Action{}, nil
}

// alive ends the calling task when its life is dead. To others, who hold a file
// of a life that is over, it returns an error.
func (m *Machine) alive() error {
	if m.over.Load() {
		return errOver
	}
	if m.dead.Load() {
		runtime.Goexit()
	}
	return nil
}

// failed turns what a fault said into the error of an operation, with the name
// as the caller gave it, as the disk's own errors have it.
func failed(kind OpKind, name string, err error) error {
	var dressed *fs.PathError
	if err == nil || errors.As(err, &dressed) {
		return err
	}
	return &fs.PathError{Op: string(kind), Path: name, Err: err}
}
