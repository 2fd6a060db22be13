package docs

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The page promises a scenario for each report; a promise that nobody keeps is
// worse than none.
func TestFieldReportsAreShown(t *testing.T) {
	page, err := os.ReadFile("field-reports.md")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	paths, err := filepath.Glob("../scenarios/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, p := range paths {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(p), ".txtar")] = string(text)
	}
	problems, rows := reportProblems(string(page), files)
	for _, p := range problems {
		t.Error("field-reports.md:" + p)
	}
	if rows != 184 {
		t.Errorf("%d rows were read, there are 184 reports; has the table changed its shape?", rows)
	}
}

var (
	reportGroup = regexp.MustCompile(`^## (\d+)\. .*\((\d+)\.(\d\d) to (\d+)\.(\d\d)\)$`)
	reportRow   = regexp.MustCompile(`^\| (\d+\.\d\d) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$`)
	reportRef   = regexp.MustCompile(`[\w.-]+/[\w.-]+(?:#| p)\d+`)
	caseLine    = regexp.MustCompile(`(?m)^(?:\[\S+\] )*case (\S+)`)
)

// reportProblems holds the page against the texts of all scenarios, by name,
// and counts its rows. Each problem begins with its line.
func reportProblems(page string, scenarios map[string]string) (problems []string, rows int) {
	fail := func(line int, f string, a ...any) {
		problems = append(problems, fmt.Sprintf("%d: ", line)+fmt.Sprintf(f, a...))
	}
	seen := map[string]int{}   // line of each report's row
	listed := map[string]int{} // likewise of each public report
	var promised []string      // numbers that the headings promise
	planned := false
	for n, line := range strings.Split(page, "\n") {
		n++
		if m := reportGroup.FindStringSubmatch(line); m != nil {
			first, _ := strconv.Atoi(m[3])
			last, _ := strconv.Atoi(m[5])
			if m[1] != m[2] || m[1] != m[4] || first != 1 || last < first {
				fail(n, "the range of a group is GROUP.01 to GROUP.NN")
			}
			for i := first; i <= last; i++ {
				promised = append(promised, fmt.Sprintf("%s.%02d", m[1], i))
			}
			planned = false
			continue
		}
		planned = planned || strings.HasPrefix(line, "Planned with ")
		m := reportRow.FindStringSubmatch(line)
		if m == nil {
			if strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "| report ") {
				fail(n, "a row is NUMBER | reports | what goes wrong | scenarios")
			}
			continue
		}
		rows++
		id, refs := m[1], reportRef.FindAllString(m[2], -1)
		if at, ok := seen[id]; ok {
			fail(n, "%s stands in line %d already", id, at)
		}
		seen[id] = n
		if !slices.Contains(promised, id) {
			fail(n, "%s is in no range of a group above it", id)
		}
		if got := strings.Join(refs, ", "); got != m[2] {
			fail(n, "the reports are owner/repo#n or owner/repo pn, with commas between them: %q", m[2])
		}
		for _, ref := range refs {
			if at, ok := listed[ref]; ok {
				fail(n, "%s stands in line %d already", ref, at)
			}
			listed[ref] = n
		}
		shown := m[4]
		if rest, ok := strings.CutPrefix(shown, "planned"); ok {
			if !planned {
				fail(n, "%s says planned in a group that is not", id)
			}
			if shown = strings.TrimPrefix(rest, ": "); shown == "" {
				continue
			}
		} else if reason, ok := strings.CutPrefix(shown, "out of scope: "); ok {
			if len(strings.Fields(reason)) < 3 {
				fail(n, "%s is out of scope without a reason", id)
			}
			continue
		}
		for _, s := range strings.Split(shown, ", ") {
			for _, p := range shownProblems(s, refs, scenarios) {
				fail(n, "%s: %s", id, p)
			}
		}
	}
	for _, id := range promised {
		if seen[id] == 0 {
			fail(1, "%s has no row", id)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(scenarios)) {
		for _, ref := range reportRef.FindAllString(comments(scenarios[name]), -1) {
			if listed[ref] == 0 {
				fail(1, "scenarios/%s.txtar names %s, which is in no row", name, ref)
			}
		}
	}
	return problems, rows
}

// shownProblems says what is wrong with FILE or FILE/CASE as what shows one of
// the reports.
func shownProblems(shown string, refs []string, scenarios map[string]string) (problems []string) {
	name, variant, _ := strings.Cut(shown, "/")
	text, ok := scenarios[name]
	if !ok {
		return []string{fmt.Sprintf("there is no scenario %q", name)}
	}
	script, _, _ := strings.Cut(text, "\n-- ")
	if variant != "" && !slices.ContainsFunc(caseLine.FindAllStringSubmatch(script, -1), func(m []string) bool { return m[1] == variant }) {
		problems = append(problems, fmt.Sprintf("the scenario %s has no case %q", name, variant))
	}
	if !slices.ContainsFunc(reportRef.FindAllString(comments(text), -1), func(ref string) bool { return slices.Contains(refs, ref) }) {
		problems = append(problems, fmt.Sprintf("the scenario %s does not name the report in a comment", name))
	}
	return problems
}

// comments are the comments of a scenario's script.
func comments(text string) string {
	script, _, _ := strings.Cut(text, "\n-- ")
	var b strings.Builder
	for line := range strings.Lines(script) {
		if strings.HasPrefix(line, "#") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// Each promise can be broken.
func TestReportProblems(t *testing.T) {
	scenarios := map[string]string{
		"a": "# Shows it.\n# Report: o/r#12.\ncase one X=1\n[!one] case two\n-- s --\n# Report: o/r#99.\ncase three\n",
		"b": "# Shows that.\n# Reports: o/r p3, o/q.js#4.\n",
	}
	const good = "## 1. Group (1.01 to 1.02)\n| report | where | what goes wrong | scenarios |\n|---|---|---|---|\n" +
		"| 1.01 | o/r#12, o/r p3 | x | a/one, a/two, b |\n| 1.02 | o/q.js#4 | y | b |\n"
	if p, rows := reportProblems(good, scenarios); len(p) > 0 || rows != 2 {
		t.Errorf("%d rows, %q", rows, p)
	}
	for _, c := range []struct{ from, to, want string }{
		{"1.02 | o", "1.01 | o", "1.01 stands in line 4 already"},
		{"1.02 | o", "1.01 | o", "1.02 has no row"},
		{"1.02 | o", "1.03 | o", "1.03 is in no range"},
		{"to 1.02)", "to 1.03)", "1.03 has no row"},
		{"o/q.js#4", "o/q.js#4 and more", "with commas between them"},
		{"o/q.js#4", "o/r#12, o/q.js#4", "o/r#12 stands in line 4 already"},
		{"a/one", "c", `there is no scenario "c"`},
		{"a/one", "a/three", `has no case "three"`},
		{"o/r#12, o/r p3", "o/r#1, o/r p3", "the scenario a does not name the report"},
		{"o/r#12, o/r p3", "o/r#1, o/r p3", "scenarios/a.txtar names o/r#12, which is in no row"},
		{"y | b", "y | planned", "says planned in a group that is not"},
		{"y | b", "y | out of scope: no", "without a reason"},
		{"| y |", "|", "a row is"},
	} {
		p, _ := reportProblems(strings.Replace(good, c.from, c.to, 1), scenarios)
		if !slices.ContainsFunc(p, func(s string) bool { return strings.Contains(s, c.want) }) {
			t.Errorf("%q for %q: %q, want %q", c.to, c.from, p, c.want)
		}
	}
	for from, to := range map[string]string{"## 1": "Planned with x.\n## 1", "| report": "Planned with x.\n| report"} {
		page := strings.Replace(strings.Replace(good, "y | b", "y | planned: b", 1), from, to, 1)
		if p, _ := reportProblems(page, scenarios); (len(p) > 0) != (from == "## 1") {
			t.Errorf("%q: %q", to, p)
		}
	}
}
