package gate

import (
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// simple is the effect of one command: its name and arguments, redirections and
// assignments apart.
func (p *parser) simple(words []word) effect {
	words, wrapped := p.unwrap(words)
	switch {
	case len(words) == 0: // env, timeout 5
		return effect{}
	case !words[0].plain, strings.Contains(words[0].text, "="):
		p.unsure = true // it may be anything, a builtin too
		return effect{}
	}
	name := words[0].text
	arg := ""
	if len(words) > 1 && words[1].plain {
		arg = words[1].text
	}
	if name == "set" {
		p.options(words[1:], wrapped)
		return effect{}
	}
	p.begun = true
	switch name {
	case "false":
		return effect{fails: true}
	case "exit":
		n, _ := strconv.Atoi(arg)
		p.unsure = p.unsure || n < 1 || n > 255 // what follows does not run, and it all ends well
		return effect{fails: true}
	case "export":
		for _, w := range words[1:] {
			p.variable(w.raw)
		}
		return effect{}
	case "source", ".":
		p.unsure = p.unsure || len(words) != 2 || !strings.HasSuffix(arg, "/bin/activate")
		return effect{}
	case "sh", "bash", "dash", "zsh":
		return p.shell(name == "sh" || name == "dash", words[1:])
	}
	if meddlers[name] || name == "printf" && arg == "-v" {
		p.unsure = true
		return effect{}
	}
	if e, ok := check(words); ok {
		return e
	}
	if e, ok := runTask(words); ok {
		return e
	}
	return effect{changes: !reads(words)}
}

// Builtins that change what later words of the command mean, or whether they
// run at all.
var meddlers = names("alias unalias bind break builtin complete continue coproc declare disown enable eval exec fc fg bg getopts hash kill let local " +
	"logout mapfile read readarray readonly return select shift shopt suspend trap typeset unset caller compgen compopt")

// options understands the set that a script begins with, as set -euo pipefail, and
// nothing else: not behind another command, nor where it may not run.
func (p *parser) options(args []word, wrapped bool) {
	c := p.peek()
	ok := !wrapped && !p.begun && (c == 0 || c == '\n' || c == ';' || strings.HasPrefix(p.src[p.i:], "&&"))
	for i := 0; i < len(args) && ok; i++ {
		option := args[i].plain && setOption.MatchString(args[i].text)
		if option && strings.HasSuffix(args[i].text, "o") {
			i++
			option = i < len(args) && args[i].plain && args[i].text == "pipefail"
			p.pipefail = true
		}
		ok = option
	}
	p.unsure = p.unsure || !ok
}

var setOption = regexp.MustCompile(`^-[eux]*(?:[eux]|o)$`)

// shell is bash -c '...', looked into.
func (p *parser) shell(posix bool, args []word) effect {
	q := parser{posix: posix}
	for len(args) > 1 && args[0].plain && args[1].plain {
		switch a := args[0].text; {
		case strings.HasSuffix(a, "o") && setOption.MatchString(a) && args[1].text == "pipefail":
			q.pipefail = true
			args = args[2:]
		case shellCommand.MatchString(a):
			q.src = args[1].text
			e := q.whole()
			p.unsure = p.unsure || q.unsure
			p.late = p.late || q.late
			return e
		case shellOption.MatchString(a):
			args = args[1:]
		default:
			return effect{changes: true}
		}
	}
	return effect{changes: true} // a script, or what comes from elsewhere
}

var (
	shellOption  = regexp.MustCompile(`^(?:-[elux]+|--norc|--noprofile|--login)$`)
	shellCommand = regexp.MustCompile(`^-[elux]*c$`)
)

// A wrapper runs the rest of its arguments and ends as they end.
type wrapper struct {
	words  string
	flags  []string // that change nothing of that
	values []string // such flags with a value
	skip   int      // arguments of its own
	module bool     // it runs no program but a module or package: only checkers are known
}

var wrappers = []wrapper{
	{"timeout", f("--foreground -v --verbose"), f("-k -s --kill-after --signal"), 1, false},
	{"nice", nil, f("-n"), 0, false},
	{"nohup", nil, nil, 0, false},
	{"command", nil, nil, 0, false},
	{"stdbuf", f("-oL -eL -o0 -e0 -i0"), nil, 0, false},
	{"xvfb-run", f("-a --auto-servernum"), nil, 0, false},
	{"poetry run", nil, nil, 0, false},
	{"pipenv run", nil, nil, 0, false},
	{"pdm run", nil, nil, 0, false},
	{"uv run", f("--frozen --locked --no-sync"), nil, 0, false},
	{"python -m", nil, nil, 0, true},
	{"coverage run -m", nil, nil, 0, true},
	{"npx", f("-y --yes --no --no-install --"), nil, 0, true},
	{"npm exec", f("--"), nil, 0, true},
	{"pnpm exec", nil, nil, 0, true},
	{"yarn exec", nil, nil, 0, true},
	{"yarn", nil, nil, 0, true},
	{"pnpm", nil, nil, 0, true},
	{"bunx", nil, nil, 0, true},
	{"bundle exec", nil, nil, 0, true},
}

// unwrap takes wrappers off a command, and the folder off a program that lies
// where programs lie.
func (p *parser) unwrap(words []word) (inner []word, wrapped bool) {
	for range 8 { // deeper ones are unknown commands
		if len(words) == 0 || !words[0].plain {
			break
		}
		words = slices.Clone(words)
		words[0].text = program(words[0].text)
		if words[0].text == "env" {
			rest := words[1:]
			for ; len(rest) > 0 && strings.Contains(rest[0].raw, "="); rest = rest[1:] {
				p.variable(rest[0].raw)
			}
			if len(rest) == 0 {
				return words, wrapped
			}
			words, wrapped = rest, true
			continue
		}
		rest := unwrapOne(words)
		if rest == nil {
			return words, wrapped
		}
		words, wrapped = rest, true
	}
	return words, wrapped
}

// unwrapOne is nil where no wrapper is, or none that is understood.
func unwrapOne(words []word) []word {
	text := texts(words)
	if find(text) != nil { // python -m unittest
		return nil
	}
	for _, w := range wrappers {
		own := strings.Fields(w.words)
		if len(text) < len(own) || !slices.Equal(text[:len(own)], own) {
			continue
		}
		n := len(own)
		for ; n < len(text) && strings.HasPrefix(text[n], "-"); n++ {
			if slices.Contains(w.values, text[n]) {
				n++
			} else if !slices.Contains(w.flags, text[n]) && !has(text[n:n+1], w.values) {
				return nil
			}
		}
		if n += w.skip; n < len(text) && (!w.module || find(text[n:]) != nil) {
			return words[n:]
		}
	}
	return nil
}

var (
	python   = regexp.MustCompile(`^(?:python[23]?(?:\.[0-9]+)?|py)$`)
	trusted  = regexp.MustCompile(`^(?:/usr(?:/local)?(?:/go)?/bin|/bin|(?:.*/)?(?:node_modules/\.bin|\.?venv/bin|vendor/bin)|~/(?:go|\.local|\.cargo)/bin)$`)
	versions = f("--version --help")
)

// program is a program's name without its folder, where that is one for
// programs: elsewhere lies whatever somebody put there.
func program(name string) string {
	if dir := path.Dir(name); dir != "." && trusted.MatchString(dir) {
		name = path.Base(name)
	}
	if python.MatchString(name) {
		return "python"
	}
	return name
}

var (
	assignable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\+?$`)
	deciding   = regexp.MustCompile(`^(?:PATH|IFS|ENV|CDPATH|(?:BASH|SHELL|LD_|DYLD_|PYTEST_|RUSTC|CARGO_BUILD_|CARGO_TARGET_|MAKE|NPM_CONFIG_|npm_config_).*|GOFLAGS|GOROOT|NODE_OPTIONS|NODE_PATH|PYTHONSTARTUP|RUBYOPT|PERL5OPT|JAVA_TOOL_OPTIONS|MAVEN_OPTS|GRADLE_OPTS)$`)
)

// decides says whether a variable decides which programs run, or with which
// arguments: with it, a name no longer says what was run.
func decides(name string) bool { return deciding.MatchString(name) }

// variable reads NAME=VALUE as written. One that decides what runs, or whose
// name is not plain, is not understood.
func (p *parser) variable(raw string) {
	name, _, _ := strings.Cut(raw, "=")
	p.unsure = p.unsure || !assignable.MatchString(name) || decides(strings.TrimSuffix(name, "+"))
}
