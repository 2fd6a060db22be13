package gate

import (
	"regexp"
	"slices"
	"strings"
)

// Bits of the kinds; the order is that of allKinds.
const (
	tests kinds = 1 << iota
	lint
	typecheck
	build
)

// checker is a command that shows something by ending well. It writes nothing
// but its own products, which are no change.
type checker struct {
	words  string // how it begins
	proves kinds
	need   []string // one of these arguments makes it a checker; without, it is not in the list
	blunt  []string // with one of these it can end well and have checked nothing, or not all
	fixes  []string // with one of these it changes what it checks
}

// f writes a list of arguments: -x is also -x=VALUE; -x=V is also -x V.
func f(s string) []string { return strings.Fields(s) }

// Arguments with which a checker only talks about itself.
var idle = f("--version --help --collect-only --co --list --listTests --list-tests --fixtures --markers --setup-plan --setup-only " +
	"--showConfig --show-config --show-settings --print-config --listFilesOnly --init --dry-run --env-info --listenvs")

// checkers are found by their first words, after wrappers such as env, timeout
// and npx are gone. The longest entry that fits counts.
var checkers = []checker{
	{"pytest", tests, nil, f("-o -oaddopts --override-ini --lfnf --last-failed-no-failures --suppress-no-test-exit-code"), f("--snapshot-update --inline-snapshot --force-regen")},
	{"py.test", tests, nil, f("-o --override-ini"), nil},
	{"python -m unittest", tests, nil, f("-k"), nil},
	{"python manage.py test", tests, nil, f("-k"), nil},
	{"tox", tests, nil, f("-e -l -n --notest"), nil},
	{"nox", tests, nil, f("-s -l -k -t"), nil},
	// go exits 0 when no test has the name, and when it was told to run each
	// test 0 times: a selection by name shows nothing.
	{"go test", tests, nil, f("-run --run -skip --skip -list --list -c --c -n --n -exec --exec -args --args -count=0 --count=0 -vettool"), f("-update -u")},
	{"gotestsum", tests, nil, f("-run -skip -list -c -exec -count=0"), nil},
	{"cargo test", tests, nil, f("--no-run --skip --ignored"), nil},
	{"cargo nextest run", tests, nil, f("--no-run --no-tests -E"), nil},
	{"jest", tests, nil, f("-t --testNamePattern --passWithNoTests --watch --watchAll"), f("-u --updateSnapshot")},
	{"vitest", tests, nil, f("-t --testNamePattern --passWithNoTests --watch -w"), f("-u --update")},
	{"mocha", tests, nil, f("-g --grep -f --fgrep"), nil},
	{"ava", tests, nil, f("-m --match"), f("-u --update-snapshots")},
	{"playwright test", tests, nil, f("-g --grep --pass-with-no-tests"), f("-u --update-snapshots")},
	{"node --test", tests, nil, f("--test-name-pattern --test-skip-pattern"), f("--test-update-snapshots")},
	{"deno test", tests, nil, f("--filter --no-run --permit-no-files"), nil},
	{"bun test", tests, nil, f("-t --test-name-pattern --pass-with-no-tests"), f("-u --update-snapshots")},
	{"rspec", tests, nil, f("-e --example -t --tag --failure-exit-code"), nil},
	{"phpunit", tests, nil, f("--filter --group"), nil},
	{"dotnet test", tests, nil, f("--filter --no-build -t"), nil},
	{"swift test", tests, nil, f("--filter --skip"), nil},
	{"mix test", tests, nil, f("--only --stale"), nil},
	{"ctest", tests, nil, f("-N --show-only -R -E -L -LE --tests-regex"), nil},
	{"bazel test", tests, nil, f("--test_filter --nobuild"), nil},

	{"ruff check", lint, nil, f("--exit-zero -e"), f("--fix --fix-only --add-noqa --unsafe-fixes")},
	{"ruff format", lint, f("--check"), nil, nil},
	{"black", lint, f("--check"), nil, nil},
	{"isort", lint, f("--check --check-only -c"), nil, nil},
	{"prettier", lint, f("--check -c --list-different -l"), f("--no-error-on-unmatched-pattern"), f("--write -w")},
	{"flake8", lint, nil, f("--exit-zero"), nil},
	{"pylint", lint, nil, f("--exit-zero --fail-under -E --errors-only"), nil},
	{"eslint", lint, nil, f("--pass-on-no-patterns --no-error-on-unmatched-pattern"), f("--fix")},
	{"stylelint", lint, nil, f("--allow-empty-input"), f("--fix")},
	{"next lint", lint, nil, nil, f("--fix")},
	{"biome lint", lint, nil, f("--no-errors-on-unmatched"), f("--write --apply --fix")},
	{"biome check", lint, nil, f("--no-errors-on-unmatched"), f("--write --apply --fix")},
	{"biome ci", lint, nil, f("--no-errors-on-unmatched"), nil},
	{"oxlint", lint, nil, nil, f("--fix")},
	{"golangci-lint run", lint, nil, f("--issues-exit-code -n --new --new-from-rev"), f("--fix")},
	{"staticcheck", lint, nil, f("-fail --fail"), nil},
	{"go vet", lint | typecheck, nil, f("-n -vettool --vettool"), f("-fix --fix")},
	{"go tool staticcheck", lint, nil, f("-fail --fail"), nil},
	{"cargo clippy", lint | typecheck, nil, f("--cap-lints"), f("--fix")},
	{"cargo fmt", lint, f("--check"), nil, nil},
	{"rubocop", lint, nil, f("--fail-level -L"), f("-a -A --autocorrect --autocorrect-all --auto-correct --auto-gen-config")},
	{"shellcheck", lint, nil, nil, nil},
	{"deno lint", lint, nil, nil, f("--fix")},

	{"mypy", typecheck, nil, nil, f("--install-types")},
	{"pyright", typecheck, nil, nil, f("--createstub --writebaseline")},
	{"tsc", typecheck | build, nil, f("--noCheck"), nil}, // with --noEmit typecheck alone
	{"vue-tsc", typecheck, nil, f("--noCheck"), nil},
	{"cargo check", typecheck, nil, nil, nil},
	{"flow check", typecheck, nil, nil, nil},
	{"deno check", typecheck, nil, nil, nil},

	{"go build", build | typecheck, nil, f("-n"), nil},
	{"cargo build", build | typecheck, nil, nil, nil},
	{"vite build", build, nil, nil, nil},
	{"next build", build, nil, nil, nil},
	{"webpack", build, nil, nil, nil},
	{"rollup", build, nil, nil, nil},
	{"python -m build", build, nil, nil, nil},
	{"cmake --build", build, nil, nil, nil},
	{"ninja", build, nil, f("-n -t"), nil},
	{"dotnet build", build | typecheck, nil, nil, nil},
	{"swift build", build | typecheck, nil, nil, nil},
	{"bazel build", build, nil, f("--nobuild"), nil},
}

// has says whether one of the arguments is one of the list.
func has(args []string, list []string) bool {
	for i, a := range args {
		for _, l := range list {
			name, value, exact := strings.Cut(l, "=")
			switch {
			case a == l, !exact && strings.HasPrefix(a, l) && a[len(l)] == '=':
				return true
			case exact && a == name && i+1 < len(args) && args[i+1] == value:
				return true
			}
		}
	}
	return false
}

// With these, go takes other sources or other tools.
var otherGo = f("-toolexec --toolexec -overlay --overlay -modfile --modfile")

// A cluster of short flags in which -h or -V stands: help or version. Where
// flags are long words after one dash, or V is verbose, it says nothing.
var (
	cluster   = regexp.MustCompile(`^-[A-Za-z]*[hV][A-Za-z]*$`)
	noCluster = regexp.MustCompile(`^(?:go |gotestsum|staticcheck|ctest)`)
)

// check is the effect of a checker; ok says that args are one.
func check(args []word) (e effect, ok bool) {
	text := texts(args)
	c := find(text)
	if c == nil {
		return effect{}, false
	}
	rest := text[len(strings.Fields(c.words)):]
	if has(rest, idle) || !noCluster.MatchString(c.words) && slices.ContainsFunc(rest, cluster.MatchString) {
		return effect{}, true
	}
	proves := c.proves
	switch c.words {
	case "tsc":
		if has(rest, f("--noEmit")) {
			proves = typecheck
		}
	case "cargo test":
		if filtered(rest) { // as with go test -run
			return effect{tried: proves}, true
		}
	}
	e.tried = proves
	e.changes = has(rest, c.fixes)
	if expanded(args) { // to what is not known
		e.changes = e.changes || c.fixes != nil || c.need != nil
		return e, true
	}
	if has(rest, c.blunt) || strings.HasPrefix(c.words, "go ") && has(rest, otherGo) {
		return e, true
	}
	e.proved = proves
	if !e.changes {
		e.fresh = proves
	}
	return e, true
}

func find(text []string) (best *checker) {
	for i := range checkers {
		c := &checkers[i]
		name, _, _ := strings.Cut(c.words, " ")
		if name != text[0] {
			continue
		}
		w := strings.Fields(c.words)
		if len(text) >= len(w) && slices.Equal(text[:len(w)], w) && (c.need == nil || has(text[len(w):], c.need)) &&
			(best == nil || len(c.words) > len(best.words)) {
			best = c
		}
	}
	return best
}

// filtered says whether arguments of cargo test select tests by name.
func filtered(args []string) bool {
	values := f("-p --package --features -F --manifest-path -j --jobs --target --profile --test --bin --example --bench --target-dir --exclude --color --test-threads")
	for i, a := range args {
		if !strings.HasPrefix(a, "-") && (i == 0 || !slices.Contains(values, args[i-1])) {
			return true
		}
	}
	return false
}

func texts(args []word) []string {
	t := make([]string, len(args))
	for i, w := range args {
		t[i] = w.text
	}
	return t
}

func expanded(args []word) bool {
	return slices.ContainsFunc(args, func(w word) bool { return !w.plain })
}
