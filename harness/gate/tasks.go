package gate

import (
	"regexp"
	"slices"
	"strings"
)

// taskKinds is what the name of a script or target says that it checks: the
// part before a colon counts, and one that says it changes something is none.
func taskKinds(name string) kinds {
	first, rest, _ := strings.Cut(name, ":")
	for _, part := range strings.FieldsFunc(rest, func(r rune) bool { return r == ':' || r == '-' }) {
		switch part {
		case "fix", "write", "update", "watch", "dev", "serve":
			return 0
		}
	}
	switch first {
	case "test", "tests", "unittest", "test-unit", "unit-test", "spec":
		return tests
	case "lint", "eslint", "clippy", "vet":
		return lint
	case "typecheck", "type-check", "types", "tsc", "check-types", "mypy":
		return typecheck
	case "build", "compile":
		return build
	}
	return 0
}

// Arguments of task runners, and of what they run.
var (
	// These are followed by a value; for make, others are not.
	taskValues = f("-C --dir --prefix --cwd --filter -F -w --workspace -p --project-dir -pl -P -T")
	makeValues = f("-C --directory")
	// With these it can end well without the task, or without all of it.
	taskBlunt = f("--if-present --ignore-errors --touch -t --testNamePattern --grep -g --passWithNoTests --pass-with-no-tests " +
		"--exit-zero --watch --no-run -x --exclude-task -fn --fail-never -DskipTests -Dmaven.test.skip -Dmaven.test.failure.ignore --file --makefile")
	taskIdle  = f("-n --dry-run --just-print --recon --question --version --help -h --collect-only --list --listTests -m")
	taskFixes = f("--fix --write -u --updateSnapshot --update")
)

// runTask is the effect of a task runner (npm run, make, gradle); ok says that
// args are one with a task whose name says what it checks.
func runTask(args []word) (e effect, ok bool) {
	text := texts(args)
	var names []string
	known := true // every target is
	switch text[0] {
	case "npm", "pnpm", "yarn", "bun", "just", "task", "rake", "composer":
		names = script(text[0], positional(text[1:], taskValues))
		for _, n := range names {
			e.tried |= taskKinds(n)
		}
	case "make", "mvn", "gradle", "./mvnw", "./gradlew":
		values := taskValues
		if text[0] == "make" {
			values = makeValues
		}
		names = positional(text[1:], values)
		if len(names) == 0 && text[0] == "make" {
			names = []string{"all"}
		}
		for _, n := range names {
			k, is := targetKinds(text[0], n)
			e.tried |= k
			known = known && is
		}
	}
	rest := text[1:]
	if e.tried == 0 || has(rest, taskIdle) {
		return effect{}, false
	}
	e.changes = !known || has(rest, taskFixes) || expanded(args)
	if has(rest, taskBlunt) || expanded(args) || text[0] == "make" && slices.ContainsFunc(rest, otherMake.MatchString) {
		return e, true
	}
	e.proved = e.tried
	if !e.changes {
		e.fresh = e.tried
	}
	return e, true
}

// Arguments of make that run nothing, ignore failures, take another file, or
// set a variable that may stand for what is run.
var otherMake = regexp.MustCompile(`^-[A-IK-Za-ik-z]*[nqtifoWEe]|=`)

// positional are the arguments of a task runner that are no flags.
func positional(args, values []string) (names []string) {
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "--":
			return names
		case slices.Contains(values, a):
			i++
		case strings.HasPrefix(a, "-"), strings.Trim(a, "0123456789") == "": // make -j 4
		default:
			names = append(names, a)
		}
	}
	return names
}

// script is the one script that npm and its like run; its own arguments may
// follow it.
func script(tool string, names []string) []string {
	switch {
	case len(names) == 0:
		return nil
	case names[0] == "run" || names[0] == "run-script":
		names = names[1:]
	case tool == "npm" && (names[0] == "t" || names[0] == "tst"):
		return []string{"test"}
	case tool == "npm" && names[0] != "test":
		return nil
	}
	return names[:min(len(names), 1)]
}

// targetKinds is what a target of make, mvn or gradle proves, if it is known.
func targetKinds(tool, name string) (kinds, bool) {
	maven, gradle := strings.Contains(tool, "mvn"), strings.Contains(tool, "gradle")
	if gradle {
		name = name[strings.LastIndexByte(name, ':')+1:] // :app:test
	}
	if k := taskKinds(name); k != 0 {
		return k, true
	}
	switch name {
	case "check":
		return tests, !maven
	case "verify":
		return tests, maven
	case "package":
		return build, maven
	case "assemble":
		return build, gradle
	case "all":
		return build, tool == "make"
	case "clean": // there it is the tool's own and removes only its products
		return 0, maven || gradle
	}
	return 0, false
}
