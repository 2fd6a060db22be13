package scenarios

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/internal/near"
)

// outside says why a path argument could leave the work directory, or "".
// A link never points upward (checkSymlink) and no path goes up, so none leads
// out.
func outside(arg string) string {
	for _, mark := range []string{workMark, evidenceMark} {
		if rest, ok := strings.CutPrefix(arg, mark); ok {
			if rest == "" {
				return ""
			}
			if !strings.HasPrefix(rest, "/") {
				return "it only begins like the work directory; write $WORK/ before it"
			}
			arg = strings.TrimLeft(rest, "/")
		}
	}
	return escapes(arg)
}

func (c *checker) checkPath(arg string) {
	if why := outside(arg); why != "" {
		c.fail("%s: %s", quote(shown(arg)), why)
	}
}

// shown undoes the marks in a path, for a message.
func shown(arg string) string {
	return strings.NewReplacer(workMark, "$WORK", evidenceMark, "$EVIDENCE").Replace(arg)
}

func (c *checker) checkCd(_ bool, args []string) {
	c.checkPath(args[0])
	c.known["*"] = true // names are relative to another folder now
}

func (c *checker) checkPaths(_ bool, args []string) {
	for _, a := range args {
		c.checkPath(a)
	}
}

func (c *checker) checkChmod(_ bool, args []string) {
	if _, err := strconv.ParseUint(args[0], 8, 9); err != nil {
		c.fail("%q is not a mode: write it in octal, such as 755", args[0])
	}
	c.checkPaths(false, args[1:])
}

var outputs = []string{"stdout", "stderr"}

func (c *checker) checkCmp(_ bool, args []string) {
	if !slices.Contains(outputs, args[0]) {
		c.checkPath(args[0])
	}
	c.checkPath(args[1])
	if strings.HasPrefix(args[1], evidenceMark) || c.execs || outside(args[1]) != "" {
		return
	}
	name := path.Clean(strings.TrimPrefix(strings.TrimPrefix(args[1], workMark), "/"))
	if !c.known[name] && !c.known["*"] {
		c.fail("%s", near.Unknown("file", name, append(c.src.fileNames(), "what cp has written")))
	}
}

func (c *checker) checkCopy(_ bool, args []string) {
	for i, a := range args {
		if i < len(args)-1 && slices.Contains(outputs, a) {
			continue
		}
		c.checkPath(a)
	}
	dst := args[len(args)-1]
	c.known[path.Clean(strings.TrimPrefix(strings.TrimPrefix(dst, workMark), "/"))] = true
	c.known["*"] = c.known["*"] || len(args) > 2
}

func (c *checker) checkEnv(_ bool, args []string) {
	for _, a := range args {
		k, v, err := keyValue(a)
		switch {
		case err != nil || !varNameRE.MatchString(k):
			c.fail("env takes VAR=VALUE, not %q", shown(a))
		case slices.Contains([]string{"WORK", "EVIDENCE", "TMPDIR", "HOME"}, k):
			c.fail("env %s: the bench sets that variable", k)
		case c.unsure:
			c.fail("env behind a condition that only the run can answer leaves %s unknown: use a case", k)
		default:
			c.vars[k] = v
		}
	}
}

func (c *checker) checkExec(_ bool, args []string) {
	c.execs = true
	prog := args[0]
	switch {
	case !strings.Contains(prog, "/"):
		c.fail("exec %s: only a program in the work directory may run, so that the file shows all it does: put it in the archive and write ./%s", prog, prog)
	case outside(prog) != "":
		c.fail("exec %s: %s", quote(shown(prog)), outside(prog))
	}
	if last := args[len(args)-1]; strings.HasPrefix(last, "&") && strings.HasSuffix(last, "&") {
		c.fail("exec in the background is refused: nothing could wait for it")
	}
}

func (c *checker) checkExists(_ bool, args []string) {
	if args[0] == "-readonly" {
		args = args[1:]
	}
	c.checkPaths(false, args)
}

func (c *checker) checkGrep(neg bool, args []string) {
	c.checkMatch(neg, args[:len(args)-1])
	c.checkPath(args[len(args)-1])
}

func (c *checker) checkMatch(neg bool, args []string) {
	if n, ok := strings.CutPrefix(args[0], "-count="); ok {
		if _, err := parseNatural("-count", n, 1); err != nil {
			c.fail("%v", err)
		}
		if neg {
			c.fail("-count cannot be negated")
		}
		args = args[1:]
	}
	if len(args) != 1 {
		c.fail("one pattern is needed, in quotes if it contains blanks")
		return
	}
	c.checkRegexp(args[0])
}

func (c *checker) checkStdin(_ bool, args []string) {
	if !slices.Contains(outputs, args[0]) {
		c.checkPath(args[0])
	}
}

func (c *checker) checkSymlink(_ bool, args []string) {
	if args[1] != "->" {
		c.fail("symlink FILE -> TARGET: the second word is the arrow")
		return
	}
	c.checkPath(args[0])
	if why := escapes(args[2]); why != "" {
		c.fail("symlink target %s: %s", quote(shown(args[2])), why)
	}
}
