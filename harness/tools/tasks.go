package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Tasks returns the tools for work that outlives a turn, a process and an
// owner: task_create, task_list, task_get, task_claim, task_complete and
// task_depend (K1). A task is one file, tasks/<id>.json, in the session's
// folder, on Call.Env.FS:
//
//	{"id": "task_9f86d081", "subject": "Write the parser", "description": "",
//	 "status": "pending", "priority": 5, "owner": "", "blockedBy": ["task_60303ae2"]}
//
// A task is pending until an owner claims it, in_progress until that owner
// completes it, and completed for good. It can be claimed once everything in
// blockedBy is completed. Whatever happens in between, a crash or a power cut
// included, every file is whole: the one before a change or the one after it.
func Tasks() []Tool {
	list := []Tool{taskClaim(), taskComplete(), taskCreate(), taskDepend(), taskGet(), taskList()}
	for i := range list {
		list[i].Aside = true
	}
	return list
}

// Codes of the task tools' failures, beside CodeInvalid, CodeNotFound,
// CodeNotRegular and CodeExecution.
const (
	CodeTaskBlocked = "task_blocked"     // a dependency is missing or not completed
	CodeTaskStatus  = "task_status"      // the task's status does not allow this
	CodeTaskOwner   = "task_owner"       // the task is somebody else's
	CodeTaskCycle   = "task_cycle"       // the task would wait for itself
	CodeTaskDamaged = "task_damaged"     // the file is torn, or nothing that these tools wrote
	CodeTaskBusy    = "task_busy"        // another process keeps the folder locked
	CodeTaskIDs     = "task_ids_used_up" // no free id was found
)

// Pieces of the tools' schemas.
const (
	taskIDSchema    = `{"type":"string","pattern":"^task_[0-9a-f]{8}$","description":"the task's id, as task_create or task_list gave it"}`
	taskOwnerSchema = `{"type":"string","minLength":1,"maxLength":100,"description":"who works on the task: your own name, the same one every time"}`
	taskDepsSchema  = `{"type":"array","items":{"type":"string","pattern":"^task_[0-9a-f]{8}$"},"maxItems":100,"description":"ids of the tasks that must be completed first"}`
)

// Not idempotent: a task made by a call whose outcome a crash left unknown
// would be there twice.
func taskCreate() Tool {
	return Tool{
		Name: "task_create",
		Description: "Makes a task that is kept on disk until it is completed, and returns its id. With blockedBy it cannot be claimed " +
			"before the tasks named there are completed.",
		Schema: `{"type":"object","properties":{
			"subject":{"type":"string","minLength":1,"maxLength":200,"description":"what is to be done, in one line"},
			"description":{"type":"string","maxLength":10000,"description":"details, and what done means"},
			"priority":{"type":"integer","minimum":0,"maximum":10,"description":"10 is the most urgent; default 5"},
			"blockedBy":` + taskDepsSchema + `},
			"required":["subject"],"additionalProperties":false}`,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct {
				Subject, Description string
				Priority             *whole
				BlockedBy            []string `json:"blockedBy"`
			}](c)
			if err != nil {
				return Output{}, err
			}
			t := task{Subject: in.Subject, Description: in.Description, Status: taskPending, Priority: taskPriority}
			if in.Priority != nil {
				t.Priority = int(*in.Priority)
			}
			f := taskFolder{ctx, c.Env.FS}
			unlock, err := f.lock(c.Env.Clock, true)
			if err != nil {
				return Output{}, err
			}
			defer unlock()
			if t.ID, err = f.free(c.ID); err != nil {
				return Output{}, err
			}
			if err := t.depend(in.BlockedBy, f.load); err != nil {
				return Output{}, err
			}
			if err := f.save(t); err != nil {
				return Output{}, err
			}
			return Output{Text: fmt.Sprintf("Created %s. It is pending, with priority %d.%s", t.name(), t.Priority, t.after())}, nil
		},
	}
}

// Idempotent: what is in blockedBy already is not added again.
func taskDepend() Tool {
	return Tool{
		Name: "task_depend",
		Description: "Lets a task wait for other tasks: it cannot be claimed before they are completed. Possible only while it is pending. " +
			"All of them are added or none.",
		Schema: `{"type":"object","properties":{"id":` + taskIDSchema + `,"blockedBy":` + taskDepsSchema + `},
			"required":["id","blockedBy"],"additionalProperties":false}`,
		Idempotent: true,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct {
				ID        string
				BlockedBy []string `json:"blockedBy"`
			}](c)
			if err != nil {
				return Output{}, err
			}
			return changeTask(ctx, c, in.ID, func(f taskFolder, t *task) (string, error) {
				had := len(t.BlockedBy)
				if slices.ContainsFunc(in.BlockedBy, func(id string) bool { return !slices.Contains(t.BlockedBy, id) }) && t.Status != taskPending {
					return "", failf(CodeTaskStatus, "%s is %s already, and what it waits for can be changed only while it is pending. Create another task for what is still to be done.", t.name(), t.state())
				}
				if err := t.depend(in.BlockedBy, f.load); err != nil {
					return "", err
				}
				if added := len(t.BlockedBy) - had; added > 0 {
					return fmt.Sprintf("Added %s to %s.%s", count(added, "dependency"), t.name(), t.after()), nil
				}
				return fmt.Sprintf("Nothing was added to %s: it had these dependencies already.%s", t.name(), t.after()), nil
			})
		},
	}
}

func taskClaim() Tool {
	return Tool{
		Name: "task_claim",
		Description: "Takes a pending task, to work on it: it is then in_progress and has an owner. Refused while a task that it waits for " +
			"is not completed. A task in progress whose owner is gone for good can be taken over with takeover.",
		Schema: `{"type":"object","properties":{"id":` + taskIDSchema + `,"owner":` + taskOwnerSchema + `,
			"takeover":{"type":"boolean","description":"take the task from its present owner, who must be known to be gone"}},
			"required":["id","owner"],"additionalProperties":false}`,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct {
				ID, Owner string
				Takeover  bool
			}](c)
			if err != nil {
				return Output{}, err
			}
			return changeTask(ctx, c, in.ID, func(f taskFolder, t *task) (string, error) {
				switch {
				case t.Status == taskCompleted:
					return "", failf(CodeTaskStatus, "%s is completed, so there is nothing left to claim. Use task_list with the status ready to find another.", t.name())
				case t.Status == taskInProgress && !in.Takeover:
					// Also when the owner asks again: of two claimers of one name one wins.
					return "", failf(CodeTaskStatus, "%s is %s already. Claim another task; only if its owner is gone for good, repeat the call with takeover set to true.", t.name(), t.state())
				}
				waits, err := t.waits(f.load)
				if err != nil {
					return "", err
				}
				if len(waits) > 0 {
					return "", failf(CodeTaskBlocked, "%s cannot be claimed: it waits for %s. Complete that first, or use task_list with the status ready to find another.", t.name(), list(waits))
				}
				did := fmt.Sprintf("%s is in progress now and owned by %s.", t.name(), in.Owner)
				if t.Status == taskInProgress {
					did += fmt.Sprintf(" It was taken over from %s, and nothing stopped what %s may still be doing: check what is done already.", t.Owner, t.Owner)
				}
				t.Status, t.Owner = taskInProgress, in.Owner
				return did, nil
			})
		},
	}
}

func taskComplete() Tool {
	return Tool{
		Name:        "task_complete",
		Description: "Completes a task in progress. Only its owner can. Says which tasks can be claimed now that could not before.",
		Schema: `{"type":"object","properties":{"id":` + taskIDSchema + `,"owner":` + taskOwnerSchema + `},
			"required":["id","owner"],"additionalProperties":false}`,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct{ ID, Owner string }](c)
			if err != nil {
				return Output{}, err
			}
			return changeTask(ctx, c, in.ID, func(f taskFolder, t *task) (string, error) {
				switch {
				case t.Status != taskInProgress:
					hint := "Claim it first, with task_claim."
					if t.Status == taskCompleted {
						hint = "There is nothing left to do."
					}
					return "", failf(CodeTaskStatus, "%s is %s, and only a task in progress can be completed. %s", t.name(), t.state(), hint)
				case t.Owner != in.Owner:
					return "", failf(CodeTaskOwner, "%s is owned by %s, and only its owner can complete it. Complete your own tasks; task_list shows whose they are.", t.name(), t.Owner)
				}
				// Before the change, so that a folder that cannot be read is no
				// half success.
				set, err := f.all()
				if err != nil {
					return "", err
				}
				t.Status = taskCompleted
				set.tasks[t.ID] = *t
				var b strings.Builder
				fmt.Fprintf(&b, "Completed %s.", t.name())
				free, err := set.unblocked(t.ID)
				if err != nil {
					return "", err
				}
				if len(free) > 0 {
					b.WriteString(" Now ready to be claimed:")
				}
				for i, id := range free {
					if d := set.tasks[id]; b.Len() < room(c) {
						b.WriteString("\n" + d.name())
						continue
					}
					fmt.Fprintf(&b, "\n(and %d more: use task_list with the status ready)", len(free)-i)
					break
				}
				if n := len(set.bad); n > 0 {
					fmt.Fprintf(&b, "\n(%s could not be read as tasks and may wait for this one, too: use task_list)", count(n, "file"))
				}
				return b.String(), nil
			})
		},
	}
}

// changeTask loads a task, lets change change it, and saves it if it did: under
// the lock, so that what change decided on still holds when it is saved.
func changeTask(ctx context.Context, c Call, id string, change func(f taskFolder, t *task) (did string, err error)) (Output, error) {
	f := taskFolder{ctx, c.Env.FS}
	unlock, err := f.lock(c.Env.Clock, false)
	if errors.Is(err, fs.ErrNotExist) {
		return Output{}, noTask(id)
	} else if err != nil {
		return Output{}, err
	}
	defer unlock()
	t, err := f.load(id)
	if err != nil {
		return Output{}, err
	}
	before := t.clone()
	did, err := change(f, &t)
	switch {
	case err != nil:
	case t.equal(before):
		// What is in place already may come from a call that was killed before
		// it was durable, and is about to be answered for.
		err = f.sync(t)
	default:
		err = f.save(t)
	}
	if err != nil {
		return Output{}, err
	}
	return Output{Text: did}, nil
}

func taskGet() Tool {
	return Tool{
		Name:        "task_get",
		Description: "Shows one task with everything that is known of it.",
		Schema: `{"type":"object","properties":{"id":` + taskIDSchema + `},
			"required":["id"],"additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct{ ID string }](c)
			if err != nil {
				return Output{}, err
			}
			// No lock: every file is whole at any time.
			f := taskFolder{ctx, c.Env.FS}
			t, err := f.load(in.ID)
			if err != nil {
				return Output{}, err
			}
			waits, err := t.waits(f.load)
			if err != nil {
				return Output{}, err
			}
			text, err := jsonv2.Marshal(t, jsontext.WithIndent("  "))
			if err != nil {
				return Output{}, err
			}
			return Output{Text: string(text) + "\nIt is " + t.standing(waits) + "."}, nil
		},
	}
}

func taskList() Tool {
	return Tool{
		Name:        "task_list",
		Description: "Lists the tasks, the most urgent first: id, priority, status, owner, what they wait for, subject.",
		Schema: `{"type":"object","properties":{
			"status":{"enum":["pending","in_progress","completed","ready"],"description":"only these; ready are the pending ones that can be claimed"}},
			"additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct{ Status string }](c)
			if err != nil {
				return Output{}, err
			}
			set, err := taskFolder{ctx, c.Env.FS}.all()
			if err != nil {
				return Output{}, err
			}
			text, err := set.render(in.Status, room(c))
			return Output{Text: text}, err
		},
	}
}
