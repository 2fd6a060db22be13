package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/harnessbench/bench/harness/env"
)

// task is one task, as its file holds it.
type task struct {
	ID          string   `json:"id"`
	Subject     string   `json:"subject"`
	Description string   `json:"description"`
	Status      string   `json:"status"`
	Priority    int      `json:"priority"`
	Owner       string   `json:"owner"`
	BlockedBy   []string `json:"blockedBy"`
}

// The status of a task.
const (
	taskPending    = "pending"
	taskInProgress = "in_progress"
	taskCompleted  = "completed"
)

const (
	taskPriority = 5
	maxTaskDeps  = 100
	maxTaskFile  = 1 << 20 // more than the largest task takes, however it is escaped
	taskTries    = 100     // ids that are tried for a new task

	taskDir  = "tasks"
	taskTemp = taskDir + "/.new"  // one is enough: it is written under the lock
	taskLock = taskDir + "/.lock" // a file of its own: a lock on a file that is replaced is on a ghost

	// How long a call waits for another process's. That one holds the lock for
	// a few operations of the disk.
	taskLockPause = 10 * time.Millisecond
	taskLockTries = 500
)

var legalTaskID = regexp.MustCompile(`^task_[0-9a-f]{8}$`)

func checkTaskID(id string) error {
	if !legalTaskID.MatchString(id) {
		return failf(CodeInvalid, "%s is not the id of a task: an id is task_ and 8 of the digits 0-9 and a-f. Use task_list to see which there are.", show(id))
	}
	return nil
}

func noTask(id string) error {
	return failf(CodeNotFound, "There is no task %s. Use task_list to see which there are.", show(id))
}

func taskFile(id string) string { return taskDir + "/" + id + ".json" }

func (t task) clone() task {
	t.BlockedBy = slices.Clone(t.BlockedBy)
	return t
}

func (t task) equal(u task) bool {
	return t.ID == u.ID && t.Subject == u.Subject && t.Description == u.Description && t.Status == u.Status &&
		t.Priority == u.Priority && t.Owner == u.Owner && slices.Equal(t.BlockedBy, u.BlockedBy)
}

// name is how a sentence calls the task.
func (t task) name() string { return fmt.Sprintf("%s (%s)", t.ID, line(t.Subject, 80)) }

// state is the status and whose it is.
func (t task) state() string {
	if t.Owner != "" {
		return t.Status + ", owned by " + t.Owner
	}
	return t.Status
}

// after says what a task waits for.
func (t task) after() string {
	if len(t.BlockedBy) == 0 {
		return ""
	}
	return " It can be claimed when these are completed: " + list(t.BlockedBy) + "."
}

// check returns what is wrong with a task, as a clause behind "its ...", or "".
// It is asked before a task is written and after it was read: nothing else than
// what it lets pass is ever taken for a task.
func (t task) check() string {
	deps := map[string]bool{t.ID: true}
	for _, d := range t.BlockedBy {
		if !legalTaskID.MatchString(d) || deps[d] {
			return "blockedBy names " + show(d) + ", which is no id, is named twice or is the task itself"
		}
		deps[d] = true
	}
	switch n := utf8.RuneCountInString(t.Subject); {
	case !legalTaskID.MatchString(t.ID):
		return "id is not task_ and 8 of the digits 0-9 and a-f"
	case strings.TrimSpace(t.Subject) == "" || n > 200:
		return "subject is blank or longer than 200 characters"
	case utf8.RuneCountInString(t.Description) > 10_000:
		return "description is longer than 10000 characters"
	case t.Priority < 0 || t.Priority > 10:
		return "priority is not one of 0 to 10"
	case len(t.BlockedBy) > maxTaskDeps:
		return fmt.Sprintf("blockedBy names more than %d tasks", maxTaskDeps)
	case t.Status != taskPending && t.Status != taskInProgress && t.Status != taskCompleted:
		return "status is not pending, in_progress or completed"
	case t.Status == taskPending && t.Owner != "":
		return "owner is set while its status is pending"
	case t.Status != taskPending && (t.Owner == "" || line(t.Owner, 400) != t.Owner || utf8.RuneCountInString(t.Owner) > 100):
		return "owner is not a name of 1 to 100 characters, in one line and without surplus blanks"
	}
	return ""
}

// readTask reads the content of the file of the task id.
func readTask(id string, data []byte) (task, error) {
	t := task{Priority: taskPriority} // files from before there were priorities have none
	why := ""
	if _, reason, said := parse(data); reason != "" {
		why = said
	} else if err := jsonv2.Unmarshal(data, &t, jsonv2.RejectUnknownMembers(true)); err != nil {
		why = "does not have the fields of a task"
		var at *jsonv2.SemanticError
		if errors.As(err, &at) && at.JSONPointer != "" {
			why += " (look at " + show(string(at.JSONPointer)) + ")"
		}
	} else if said := t.check(); said != "" {
		why = "is not that of a task: its " + said
	} else if t.ID != id {
		why = "holds another task, " + t.ID
	}
	if why != "" {
		return task{}, failf(CodeTaskDamaged, "The file %s %s. It is left as it is: create a new task in its place, or ask the user to restore the file.", taskFile(id), why)
	}
	return t, nil
}

// taskFolder is the tasks as one call sees them. What looks at many files gives
// up when ctx ends; what writes does not.
type taskFolder struct {
	ctx context.Context
	fs  env.FS
}

// lock makes sure that nobody else changes a task, and waits a little if
// somebody does. Without make a folder that does not exist is fs.ErrNotExist.
func (f taskFolder) lock(clock env.Clock, make bool) (unlock func(), err error) {
	if err := f.folder(); make && errors.Is(err, fs.ErrNotExist) {
		if err := f.fs.MkdirAll(taskDir); err != nil {
			return nil, explainTask(err, taskDir)
		}
	} else if err != nil {
		return nil, err
	}
	if make {
		// Every time: a folder that is there may be one that a process made
		// right before it was killed, and be gone after a power cut.
		if err := f.fs.SyncDir("."); err != nil {
			return nil, explainTask(err, taskDir)
		}
	}
	for range taskLockTries {
		unlock, err := f.fs.Lock(taskLock)
		if err == nil {
			return func() { _ = unlock() }, nil // a lock ends with its process at the latest
		}
		if !errors.Is(err, env.ErrLocked) {
			return nil, explainTask(err, taskLock)
		}
		if err := clock.Sleep(f.ctx, taskLockPause); err != nil {
			return nil, err
		}
	}
	return nil, failf(CodeTaskBusy, "The tasks are being changed by another process, which has not finished after %v. Nothing was changed. Try again later.", taskLockTries*taskLockPause)
}

// folder refuses a tasks folder that is none. A link, even to a folder, could
// make two sessions share tasks without knowing.
func (f taskFolder) folder() error {
	switch info, err := f.fs.Lstat(taskDir); {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return explainTask(err, taskDir)
	case !info.IsDir():
		return failf(CodeNotRegular, "%s in the session's folder is not a folder, so there can be no tasks. It is left as it is: ask the user to move it away.", taskDir)
	}
	return nil
}

// load reads one task.
func (f taskFolder) load(id string) (task, error) {
	if err := checkTaskID(id); err != nil {
		return task{}, err
	}
	if err := f.folder(); errors.Is(err, fs.ErrNotExist) {
		return task{}, noTask(id)
	} else if err != nil {
		return task{}, err
	}
	return f.read(id)
}

// read is load for an id that is one, in a folder that is one.
func (f taskFolder) read(id string) (task, error) {
	if f.ctx.Err() != nil {
		return task{}, context.Cause(f.ctx)
	}
	name := taskFile(id)
	r, err := f.fs.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return task{}, noTask(id)
	} else if err != nil {
		return task{}, explainTask(err, name)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxTaskFile+1))
	if err != nil {
		return task{}, explainTask(err, name)
	}
	if len(data) > maxTaskFile {
		return task{}, failf(CodeTaskDamaged, "The file %s is larger than any task (more than %d bytes). It is left as it is: create a new task in its place, or ask the user to restore the file.", name, maxTaskFile)
	}
	return readTask(id, data)
}

// all reads every task. What lies in the folder and is no task is kept apart.
func (f taskFolder) all() (taskSet, error) {
	s := taskSet{map[string]task{}, map[string]error{}}
	err := f.folder()
	var entries []fs.DirEntry
	if err == nil {
		if entries, err = f.fs.ReadDir(taskDir); err != nil {
			err = explainTask(err, taskDir)
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	} else if err != nil {
		return s, err
	}
	for _, e := range entries {
		name := taskDir + "/" + e.Name()
		if name == taskTemp || name == taskLock {
			continue
		}
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !legalTaskID.MatchString(id) {
			s.bad[name] = failf(CodeTaskDamaged, "The file %s is not named like a task, and is left as it is.", show(name))
			continue
		}
		switch t, err := f.read(id); {
		case err == nil:
			s.tasks[id] = t
		case hasCode(err, CodeTaskDamaged, CodeNotRegular):
			s.bad[name] = err
		case !hasCode(err, CodeNotFound): // removed just now
			return s, err
		}
	}
	return s, nil
}

// free returns an id that nothing in the folder uses. Ids derive from the call,
// not from chance or time: the same session makes the same tasks.
func (f taskFolder) free(call string) (string, error) {
	for n := range taskTries {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", call, n))
		id := "task_" + hex.EncodeToString(sum[:4])
		switch _, err := f.fs.Lstat(taskFile(id)); {
		case errors.Is(err, fs.ErrNotExist):
			return id, nil
		case err != nil:
			return "", explainTask(err, taskFile(id))
		}
	}
	return "", failf(CodeTaskIDs, "No free id was found for the task in %d tries. Nothing was changed. Try again, or go on with the tasks that there are.", taskTries)
}

// save gives a task's file its new content, whole or not at all, and durably:
// a plain write can be torn. The lock is held.
func (f taskFolder) save(t task) error {
	if why := t.check(); why != "" {
		return failf(CodeInvalid, "The task was not written: its %s. Nothing was changed.", why)
	}
	data, err := jsonv2.Marshal(t, jsontext.WithIndent("  "))
	if err != nil {
		return failf(CodeInvalid, "The task was not written: it is no JSON. Nothing was changed.")
	}
	switch at, err := env.Replace(f.fs, taskDir, taskFile(t.ID), taskTemp, append(data, '\n')); {
	case err == nil:
		return nil
	case at:
		return unsure(t, err)
	case errors.Is(err, env.ErrNotRegular):
		return explainTask(err, taskTemp)
	default:
		return failf(CodeExecution, "%s could not be written: %s. Nothing was changed.", t.name(), cause(err))
	}
}

// sync makes what was put in its place durable.
func (f taskFolder) sync(t task) error {
	if err := f.fs.SyncDir(taskDir); err != nil {
		return unsure(t, err)
	}
	return nil
}

// unsure is the failure of a change that may have happened all the same.
func unsure(t task, err error) error {
	return failf(CodeExecution, "%s was written, but could not be put safely in its place: %s. It may have been changed or not: look with task_get before you go on.", t.name(), cause(err))
}

// explainTask turns an error of the file system that came before anything was
// changed into a sentence.
func explainTask(err error, name string) error {
	if errors.Is(err, env.ErrNotRegular) {
		return failf(CodeNotRegular, "%s cannot be used: %s. It is left as it is: ask the user to move it away.", name, cause(err))
	}
	return failf(CodeExecution, "%s could not be used: %s. Nothing was changed. Try again, or tell the user.", name, cause(err))
}

// cause is an error of the file system without the name, which is told already.
func cause(err error) string {
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return line(err.Error(), 200)
}
