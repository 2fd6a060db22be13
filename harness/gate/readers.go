package gate

import (
	"regexp"
	"slices"
	"strings"
)

// names is a set of words.
func names(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		m[w] = true
	}
	return m
}

// Commands that change no file whatever their arguments are; those whose
// arguments matter are in reads.
var readers = names("basename cat cd cmp comm column cut date df diff dirname du echo egrep expr fgrep file fold grep groups head hexdump hostname id jq " +
	"ls md5sum nl nproc od paste pgrep popd printenv printf ps pushd pwd readlink realpath rev seq sha1sum sha256sum sha512sum sleep stat strings " +
	"tail tr true type uname wait wc whereis which who whoami : cksum sum tac")

// Subcommands that change nothing.
var subcommands = map[string]map[string]bool{
	"git": names("status diff log show blame rev-parse ls-files ls-tree ls-remote describe shortlog grep cat-file rev-list merge-base for-each-ref " +
		"name-rev count-objects check-ignore diff-tree diff-index diff-files show-ref var version whatchanged"),
	"go":    names("version env list doc"),
	"cargo": names("tree metadata search version"),
	"npm":   names("ls list view outdated root prefix why explain"),
	"pip":   names("list show freeze check"),
	"ruff":  names("rule linter version"),
}

// reads says whether a command is known to change no file. Its exit status
// shows nothing.
func reads(words []word) bool {
	text := texts(words)
	name, args := text[0], text[1:]
	switch {
	case strings.Contains(name, "/"):
		return false
	case len(args) == 1 && slices.Contains(versions, args[0]):
		return true
	case readers[name]:
		return true
	case expanded(words): // an argument that is not known may be the one that writes
		return false
	}
	switch name {
	case "env":
		return len(args) == 0
	case "command":
		return len(args) > 0 && (args[0] == "-v" || args[0] == "-V")
	case "python", "node":
		return len(args) == 1 && (args[0] == "-V" || args[0] == "-v")
	case "test", "[":
		return !has(args, f("-v")) // which evaluates a[$(...)]
	case "rg":
		return !has(args, f("--pre --hostname-bin"))
	case "tree":
		return !has(args, f("-o --output -R"))
	case "sort":
		return !slices.ContainsFunc(args, sortWrites.MatchString)
	case "uniq":
		return len(slices.DeleteFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") })) <= 1
	case "find":
		return !slices.ContainsFunc(args, func(a string) bool {
			return strings.HasPrefix(a, "-exec") || strings.HasPrefix(a, "-ok") || strings.HasPrefix(a, "-fprint") || a == "-delete" || a == "-fls"
		})
	case "sed":
		return sed(args)
	case "awk":
		return !slices.ContainsFunc(args, func(a string) bool { return strings.ContainsAny(a, ">|@") || strings.Contains(a, "system") }) &&
			!slices.ContainsFunc(args, func(a string) bool {
				return strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "-F") && !strings.HasPrefix(a, "-v")
			})
	case "tee":
		return len(args) == 0
	case "gofmt":
		return has(args, f("-l -d")) && !has(args, f("-w --w"))
	case "git":
		return git(args)
	}
	sub, some := subcommands[name]
	return some && len(args) > 0 && sub[args[0]] && !has(args, f("-w -u"))
}

var (
	sortWrites = regexp.MustCompile(`^(?:-[^-]*[oS]|--o|--compress)`)
	gitRuns    = regexp.MustCompile(`^(?:--output|--open|-O|--ext-diff|--textconv)`) // a file or a program
)

// sed reads with the scripts that print lines or replace on the way.
func sed(args []string) bool {
	script := false
	for _, a := range args {
		switch {
		case a == "-n" || a == "-E" || a == "-r" || a == "-e" || a == "-nE":
		case strings.HasPrefix(a, "-"):
			return false
		case !script:
			if script = true; !sedScript.MatchString(a) {
				return false
			}
		}
	}
	return script
}

var sedScript = regexp.MustCompile(`^(?:(?:[0-9]+|\$)?(?:,[0-9]+|,\$)?[pdq]|s/[^/\n]*/[^/\n]*/[gIip0-9]*)$`)

// git without -c, which can name a program, and with a subcommand that reads.
func git(args []string) bool {
	for len(args) > 0 {
		switch {
		case args[0] == "--no-pager" || args[0] == "-P":
			args = args[1:]
		case args[0] == "-C" && len(args) > 1:
			args = args[2:]
		default:
			if slices.ContainsFunc(args, gitRuns.MatchString) {
				return false
			}
			sub, rest := args[0], args[1:]
			only := func(list string) bool {
				return !slices.ContainsFunc(rest, func(a string) bool { return !slices.Contains(strings.Fields(list), a) })
			}
			switch sub {
			case "branch":
				return only("-a -r -v -vv --all --list --show-current --remotes")
			case "remote":
				return only("-v")
			case "tag":
				return only("-l --list")
			case "stash", "worktree":
				return len(rest) > 0 && (rest[0] == "list" || rest[0] == "show")
			}
			return subcommands["git"][sub]
		}
	}
	return false
}
