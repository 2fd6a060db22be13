package fuzz

import (
	"regexp"
	"strconv"
	"strings"
)

// measure is how large a scenario is: its lines, then its bytes.
type measure struct{ lines, bytes int }

func (m measure) less(n measure) bool {
	return m.lines < n.lines || m.lines == n.lines && m.bytes < n.bytes
}

func size(text string) measure { return measure{lines(text), len(text)} }

// lines counts the lines that say something.
func lines(text string) int {
	n := 0
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			n++
		}
	}
	return n
}

// reduce edits a scenario's text into a smaller one that still fails: it drops
// runs of lines, then words, then makes numbers and strings small, and begins
// again as long as that helps. A text that is no scenario any more does not fail
// as it did, so nothing here knows the language.
func reduce(d Drawn, tries int, fails func(Drawn) bool) Drawn {
	r := &reducer{best: d, tries: tries, fails: fails, known: map[Drawn]bool{d: true}, kept: keptRE.FindString(d.Text)}
	r.seed()
	for was := (Drawn{}); was != r.best && r.tries > 0; {
		was = r.best
		r.dropLines()
		r.dropWords()
		r.edit(numberRE, smallerNumbers)
		r.edit(stringRE, smallerStrings)
	}
	r.seed()
	return r.best
}

type reducer struct {
	best  Drawn
	tries int
	fails func(Drawn) bool
	known map[Drawn]bool
	kept  string // what the text must begin with
}

// keptRE is what is never left out: the comment, without which it is no scenario,
// and the name of the protocol, without which it would run in every one.
var keptRE = regexp.MustCompile(`^(#.*\n)*(protocol \w+)?`)

// accept takes a text in place of the best one if it still fails.
func (r *reducer) accept(text string) bool { return r.take(Drawn{text, r.best.Seed}) }

func (r *reducer) take(d Drawn) bool {
	if r.known[d] || r.tries <= 0 || !strings.HasPrefix(d.Text, r.kept) {
		return false
	}
	r.known[d] = true
	r.tries--
	if !r.fails(d) {
		return false
	}
	r.best = d
	return true
}

// seed tries the plainest schedules.
func (r *reducer) seed() {
	for seed := range min(r.best.Seed, 3) {
		if r.take(Drawn{r.best.Text, seed}) {
			return
		}
	}
}

// dropLines leaves out runs of lines, long ones first. A reply goes with what
// belongs to it, or line by line.
func (r *reducer) dropLines() {
	ls := strings.SplitAfter(r.best.Text, "\n")
	for n := (len(ls) + 1) / 2; n > 0; n /= 2 {
		for i := 0; i < len(ls); {
			j := min(i+n, len(ls))
			cut := strings.Join(ls[:i], "") + strings.Join(ls[j:], "")
			if r.accept(cut) {
				ls = append(ls[:i:i], ls[j:]...)
				continue
			}
			i = j
		}
	}
	// Replies, whole: of two to three lines, seldom aligned with the runs above.
	for i := 0; i < len(ls); {
		j := i + 1
		for j < len(ls) && strings.HasPrefix(ls[j], " ") {
			j++
		}
		if j > i+1 && r.accept(strings.Join(ls[:i], "")+strings.Join(ls[j:], "")) {
			ls = append(ls[:i:i], ls[j:]...)
			continue
		}
		i = j
	}
}

// dropWords leaves out the words of lines, the last first.
func (r *reducer) dropWords() {
	ls := strings.SplitAfter(r.best.Text, "\n")
	for i, l := range ls {
		if strings.HasPrefix(l, "#") || strings.HasPrefix(l, "--") {
			continue
		}
		for k := strings.LastIndexByte(strings.TrimRight(l, " \n"), ' '); k > 0 && strings.TrimSpace(l[:k]) != ""; k = strings.LastIndexByte(l[:k], ' ') {
			word := strings.TrimRight(l[k+1:], "\n")
			if sp := strings.IndexByte(word, ' '); sp >= 0 {
				word = word[:sp]
			}
			without := l[:k] + l[k+1+len(word):]
			ls[i] = without
			if r.accept(strings.Join(ls, "")) {
				l = without
				continue
			}
			ls[i] = l
		}
	}
}

var (
	numberRE = regexp.MustCompile(`\d+`)
	stringRE = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|'[^']*'`)
)

// edit replaces matches by smaller ones, one at a time.
func (r *reducer) edit(re *regexp.Regexp, smaller func(string) []string) {
	for at := 0; at < len(r.best.Text); {
		m := re.FindStringIndex(r.best.Text[at:])
		if m == nil {
			return
		}
		from, to := at+m[0], at+m[1]
		at = to
		begin := strings.LastIndexByte(r.best.Text[:from], '\n') + 1
		if strings.HasPrefix(r.best.Text[begin:], "#") || r.best.Text[begin:from] == "reply " {
			continue // the header; a status, which means something as it is
		}
		for _, s := range smaller(r.best.Text[from:to]) {
			if r.accept(r.best.Text[:from] + s + r.best.Text[to:]) {
				at = from + len(s)
				break
			}
		}
	}
}

func smallerNumbers(s string) []string {
	n, err := strconv.Atoi(s)
	if err != nil || n < 2 {
		return nil
	}
	var out []string
	for _, m := range []int{1, 2, 3, n / 10, n / 2, n - 1} {
		if m > 0 && m < n {
			out = append(out, strconv.Itoa(m))
		}
	}
	return out
}

func smallerStrings(s string) []string {
	if len(s) <= 3 {
		return nil
	}
	return []string{s[:1] + s[len(s)-1:], s[:1] + "x" + s[len(s)-1:]}
}
