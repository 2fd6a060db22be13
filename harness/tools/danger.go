package tools

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// catastrophic reports whether a command line holds a command that destroys
// more than a workspace: the system's or the user's files, a disk, the running
// machine. It sees through what hides a command from whoever looks at the
// first word only (C9): env rm, sh -c, x && rm, eval, xargs, a substitution.
//
// It is the last fence behind an approval, not a sandbox: a shell can always
// do harm in ways that nobody listed.
func catastrophic(line string) bool {
	d := &danger{left: 16*len(line) + 100_000}
	return d.line(line)
}

// danger looks through one command line. left bounds the work: commands
// within commands within commands multiply.
type danger struct{ left int }

// spend reports whether the work is still within its bound. Nobody writes what
// is beyond it in good faith, so it counts as catastrophic.
func (d *danger) spend(n int) bool {
	d.left -= n + 1
	return d.left >= 0
}

func (d *danger) line(line string) bool {
	if !d.spend(len(line)) {
		return true
	}
	if strings.Contains(strings.Join(strings.Fields(line), ""), ":(){:|:&};:") { // the fork bomb
		return true
	}
	cmds, whole := shellCommands(line)
	if !whole { // read it once more as if there were no quotes
		bare, _ := shellCommands(strings.NewReplacer(`"`, " ", `'`, " ", "`", ";", "(", ";", ")", ";", `\`, " ").Replace(line))
		cmds = append(cmds, bare...)
	}
	return slices.ContainsFunc(cmds, func(c shellCommand) bool {
		return slices.ContainsFunc(c.to, isDisk) || d.command(c.words)
	})
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?=`)

// command judges one simple command. Which words behind a wrapper are its own
// is hard to say and need not be known: a command is looked for at each.
func (d *danger) command(words []shellWord) bool {
	for len(words) > 0 && assignment.MatchString(words[0].text) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	starts := 1
	if name := path.Base(words[0].text); slices.Contains(wrappers[:], name) || slices.Contains(shells[:], name) {
		starts = min(len(words), 32)
	}
	for i := range starts {
		if d.at(path.Base(words[i].text), words[i].dynamic, words[i+1:]) {
			return true
		}
	}
	return false
}

// at judges one command by its name and arguments.
func (d *danger) at(name string, dynamic bool, args []shellWord) bool {
	if !d.spend(len(args)) {
		return true
	}
	if dynamic { // it may be any of them
		return destroys("rm", args) || destroys("chmod", args) || destroys("dd", args)
	}
	if destroys(name, args) {
		return true
	}
	switch {
	case name == "eval":
		var b strings.Builder
		for _, w := range args {
			b.WriteString(w.text + " ")
		}
		return d.line(b.String())
	case slices.Contains(shells[:], name):
		return slices.ContainsFunc(args, func(w shellWord) bool { return !strings.HasPrefix(w.text, "-") && d.line(w.text) })
	case slices.Contains(wrappers[:], name):
		return slices.ContainsFunc(args, func(w shellWord) bool { return strings.ContainsAny(w.text, " \t\n") && d.line(w.text) })
	}
	return false
}

// wrappers run the command that their arguments name.
var wrappers = [...]string{
	"builtin", "busybox", "chroot", "chrt", "command", "doas", "env", "exec", "find", "flock", "ionice", "nice", "nohup", "nsenter",
	"parallel", "script", "setsid", "stdbuf", "strace", "sudo", "systemd-run", "taskset", "time", "timeout", "toybox", "trap", "unbuffer", "unshare", "watch", "xargs",
}

// shells run a command line that is one of their arguments.
var shells = [...]string{"ash", "bash", "dash", "fish", "ksh", "sh", "su", "zsh"}

// destroys reports whether one command, by its name and arguments, is catastrophic.
func destroys(name string, args []shellWord) bool {
	has := func(ok func(string) bool) bool {
		return slices.ContainsFunc(args, func(w shellWord) bool { return ok(w.text) })
	}
	switch name {
	case "rm":
		return has(func(s string) bool { return s == "--no-preserve-root" }) || recursive(args) && has(func(s string) bool { return isRoot(s, true) })
	case "chmod", "chown", "chgrp":
		return recursive(args) && has(func(s string) bool { return isRoot(s, false) })
	case "mv":
		return len(args) > 1 && slices.ContainsFunc(args[:len(args)-1], func(w shellWord) bool { return isRoot(w.text, true) })
	case "find":
		return has(func(s string) bool { return isRoot(s, true) }) && has(func(s string) bool { return s == "-delete" || path.Base(s) == "rm" || path.Base(s) == "shred" })
	case "dd":
		return has(func(s string) bool { to, ok := strings.CutPrefix(s, "of="); return ok && isDisk(to) })
	case "tee", "cp", "shred", "truncate", "wipefs", "blkdiscard", "sgdisk", "sfdisk", "mke2fs", "mkswap":
		return has(isDisk)
	case "shutdown", "reboot", "halt", "poweroff":
		return true
	case "init", "telinit":
		return has(func(s string) bool { return s == "0" || s == "6" })
	case "systemctl":
		return has(func(s string) bool { return slices.Contains([]string{"halt", "poweroff", "reboot", "kexec"}, s) })
	case "kill":
		return len(args) > 1 && args[len(args)-1].text == "-1" // every process there is
	}
	return strings.HasPrefix(name, "mkfs") && has(isDisk)
}

// recursive reports whether -r, -R or --recursive is among the arguments,
// alone or in a bundle.
func recursive(args []shellWord) bool {
	return slices.ContainsFunc(args, func(w shellWord) bool {
		s := w.text
		if strings.HasPrefix(s, "--") {
			return len(s) > 3 && strings.HasPrefix("--recursive", s)
		}
		return strings.HasPrefix(s, "-") && strings.ContainsAny(s, "rR")
	})
}

// isRoot reports whether a path is the system's root, a folder that it cannot
// do without, a folder above the current one, or, with home, the user's own.
func isRoot(s string, home bool) bool {
	if s == "" || strings.HasPrefix(s, "-") {
		return false
	}
	for _, h := range []string{"${HOME}", "${HOME:?}", "$HOME"} {
		if rest, ok := strings.CutPrefix(s, h); ok && (rest == "" || rest[0] == '/') {
			s = "~" + rest
		}
	}
	s = path.Clean(s)
	if dir, base := path.Split(s); dir != "" && strings.ContainsAny(base, "*?[") && strings.Trim(base, "*?.[]!^") == "" { // all that is in it
		s = path.Clean(dir)
	}
	if s == "~" {
		return home
	}
	if strings.Trim(s, "./") == "" && strings.HasPrefix(s, "..") {
		return true
	}
	return slices.Contains(systemFolders[:], s)
}

var systemFolders = [...]string{
	"/", "/Applications", "/Library", "/System", "/Users", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/opt", "/proc", "/root", "/sbin", "/sys", "/usr", "/var",
}

var disk = regexp.MustCompile(`^/dev/(r?disk|[shv]d[a-z]|xvd|nvme|mmcblk|mapper/|dm-|md[0-9]|k?mem$|port$)`)

// isDisk reports whether a path is a whole disk, or memory.
func isDisk(s string) bool { return disk.MatchString(path.Clean(s)) }
