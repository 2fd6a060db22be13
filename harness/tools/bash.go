package tools

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

const (
	bashTimeout    = 120 * time.Second // C4
	bashMaxTimeout = 600 * time.Second
	// pipeDelay is how long output is still read after the shell has ended
	// while some child keeps the pipe open.
	pipeDelay = 250 * time.Millisecond
)

func (w *Workspace) bash() Tool {
	return Tool{
		Name: "bash",
		Description: "Runs a command with bash in the workspace and returns what it prints (standard output and error, in order). " +
			"There is no input and no terminal. Each call is a new shell: a cd or a variable does not last. " +
			"A process left in the background is stopped when the command returns. " +
			"Stopped after timeout_seconds (default 120, at most 600).",
		Schema: `{"type":"object","properties":{
			"command":{"type":"string","minLength":1,"description":"the command line"},
			"timeout_seconds":{"type":"integer","minimum":1,"maximum":600}},
			"required":["command"],"additionalProperties":false}`,
		Shell:         true,
		StopsSiblings: true,
		Timeout:       bashMaxTimeout + 10*time.Second, // the input's own limit comes first
		Run:           w.runBash,
	}
}

func (w *Workspace) runBash(ctx context.Context, c Call) (Output, error) {
	in, err := decode[struct {
		Command string
		Seconds whole `json:"timeout_seconds"`
	}](c)
	if err != nil {
		return Output{}, err
	}
	if strings.ContainsRune(in.Command, 0) {
		return Output{}, failf(CodeInvalid, "The command holds a NUL byte, which no command line can. Leave it out, or write it as \\0 for printf.")
	}
	limit := bashTimeout
	if in.Seconds > 0 {
		limit = time.Duration(in.Seconds) * time.Second
	}
	timed, timer := c.Env.Clock.WithTimer(ctx, &timeUp{limit})
	defer timer.Stop()
	timer.Reset(limit)

	var p *process
	c.Env.Clock.External(func() { p = w.shell(timed, in.Command, c.Limit) })
	out := p.kept.output()
	switch {
	case p.err != nil:
		return out, failf(CodeExecution, "The command could not be started: %s. Try a shorter command, or put a script into a file.", line(p.err.Error(), 200))
	case p.stopped && ctx.Err() != nil:
		return out, ctx.Err()
	case p.stopped:
		return out, failf(CodeTimeout, "The command timed out: it was stopped after %v. What it did until then is not undone. Set timeout_seconds, or do it in smaller steps.", limit)
	case p.status == "":
		return out, nil
	}
	end := &out.Text
	if out.Cut > 0 {
		end = &out.Tail
	}
	if s := *end; s != "" && !strings.HasSuffix(s, "\n") {
		*end += "\n"
	}
	*end += "(" + p.status + ")"
	out.IsError, out.Code = true, CodeExit
	return out, nil
}

// process is a shell that has ended.
type process struct {
	kept    *keeper
	err     error  // it could not be started
	stopped bool   // it was killed because ctx ended
	status  string // "" for exit status 0
}

// shell runs a command to its end. The shell leads a process group of its own;
// when ctx ends the whole group is killed, and whatever is left of it when the
// shell ends by itself is killed, too. A child that left the group and keeps
// the output open is not waited for longer than pipeDelay.
func (w *Workspace) shell(ctx context.Context, command string, limit int) *process {
	p := &process{kept: newKeeper(limit)}
	if limit <= 0 {
		p.kept = newKeeper(DefaultLimit)
	}
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	cmd := exec.CommandContext(ctx, shell, "-c", command)
	cmd.Dir = w.dir
	cmd.Env = w.environ()
	cmd.Stdout, cmd.Stderr = p.kept, p.kept // equal, so one pipe: in order
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = pipeDelay
	killed := false
	cmd.Cancel = func() error {
		killed = true
		return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if err := cmd.Start(); err != nil {
		if p.err = err; ctx.Err() != nil {
			p.err, p.stopped = nil, true
		}
		return p
	}
	_ = cmd.Wait() // ProcessState says more than the error
	// The group lives on as long as one of its processes does, so its number
	// can be nobody else's yet, unless it is empty and the kernel went round
	// all numbers since the line above.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)

	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	switch {
	case status.Signaled() && killed:
		p.stopped = true
	case status.Signaled():
		p.status = fmt.Sprintf("killed by signal %d, %v", status.Signal(), status.Signal())
	case status.ExitStatus() != 0:
		p.status = fmt.Sprintf("exit status %d", status.ExitStatus())
	}
	return p
}

// passed are the only variables that a command inherits: the environment of an
// agent holds keys, and a command may print it (C15). This does not hide them
// from a command that looks for them: where the system lets a process read the
// environment of its parent (/proc on Linux), the agent has to forbid it.
var passed = [...]string{"PATH", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "TZ", "USER", "LOGNAME"}

func (w *Workspace) environ() []string {
	env := []string{"HOME=" + w.dir, "PWD=" + w.dir, "SHELL=/bin/sh"}
	for _, name := range passed {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		} else if name == "PATH" {
			env = append(env, "PATH=/usr/local/bin:/usr/bin:/bin")
		}
	}
	return env
}
