package gate

import (
	"regexp"
	"slices"
	"strings"
)

// Required reads from the user's words what is to be checked before an answer
// may end the run: what they ask for in the imperative, in English or Chinese.
// A question, a mention, a negation, code and quotations ask for nothing (G2):
// "run the tests with `go test`" asks, "run `go test`" does not.
// Each kind is there at most once, in a fixed order; asked for twice, the
// stricter counts.
func Required(prompt string) (required []Requirement) {
	var found [len(allKinds)]*Requirement
	for _, s := range sentences(mask(prompt)) {
		must, may := s.asks()
		for i, kind := range allKinds {
			bit := kinds(1 << i)
			if must&bit != 0 && (found[i] == nil || found[i].Optional) || may&bit != 0 && found[i] == nil {
				found[i] = &Requirement{kind, must&bit == 0, strings.TrimSpace(prompt[s.from:s.to])}
			}
		}
	}
	for _, r := range found {
		if r != nil {
			required = append(required, *r)
		}
	}
	return required
}

// sentence is a part of the prompt, in clauses.
type sentence struct {
	from, to int
	question bool
	clauses  []clause
}

// clause is a part between commas and conjunctions; join is what stands before
// it.
type clause struct{ join, text string }

var (
	stop    = regexp.MustCompile(`[.!?]+(?:["')\]\s\x01]|$)|[。！？；;]+|\n`)
	bullet  = regexp.MustCompile(`^\s*(?:[-*•+]|\d+[.)、])\s+`)
	joins   = regexp.MustCompile(`[,，:：()（）、—–]+|\s(?:--?|\+)\s|\b(?:and|then|or|nor|but|plus)\b|&|然后|但是|而是|但|接着|并且?|和|或者?`)
	hiddens = regexp.MustCompile(`\x01+`)
	mixed   = regexp.MustCompile(`(\p{Han})([a-z0-9\x01])|([a-z0-9\x01])(\p{Han})`)
	spelled = strings.NewReplacer("’", "'", "can't", "can not", "n't", " not", "\n", " ", "别忘了", "", "别忘记", "", "不要忘记", "", "不要忘了", "", "特别", "", "分别", "")
)

func sentences(text string) (all []sentence) {
	from := 0
	for _, m := range append(stop.FindAllStringIndex(text, -1), []int{len(text), len(text)}) {
		if m[0] < len(text) && text[m[0]] == '\n' && wrapped(text[from:m[0]], text[m[1]:]) {
			continue
		}
		if part := text[from:m[1]]; speaks.MatchString(part) { // most do not, and are not looked at
			s := newSentence(part)
			s.from, s.to = from, m[1]
			all = append(all, s)
		}
		from = m[1]
	}
	return all
}

// wrapped says whether a line goes on in the next: it is as long as the lines
// that an editor breaks, and the next begins nothing.
func wrapped(line, next string) bool {
	next = next[:min(len(next), 8)]
	return len(line)-strings.LastIndexByte(line, '\n') > 50 && strings.Trim(next, " \x01") != "" && next[0] != '\n' && !bullet.MatchString(next)
}

func newSentence(text string) (s sentence) {
	t := hiddens.ReplaceAllString(spelled.Replace(strings.ToLower(text)), " \x01 ")
	t = strings.TrimSpace(bullet.ReplaceAllString(t, ""))
	bare := strings.TrimRight(t, `.!?;。！？； "'`)
	s.question = strings.ContainsAny(t[len(bare):], "?？") || hanAsks.MatchString(bare)
	t = mixed.ReplaceAllString(bare, "$1$3 $2$4")
	at, join := 0, ""
	add := func(to int) {
		if c := strings.Join(strings.Fields(t[at:to]), " "); c != "" {
			s.clauses = append(s.clauses, clause{join, c})
			join = ""
		}
	}
	for _, m := range joins.FindAllStringIndex(t, -1) {
		add(m[0])
		join += strings.TrimSpace(t[m[0]:m[1]])
		at = m[1]
	}
	add(len(t))
	return s
}

// mode is what a clause means for the next: "do not run the tests or build",
// "how to test and build", "run the tests and the linter".
type mode int

const (
	free mode = iota
	refusing
	mentioning
	running
	ensuring
)

// asks gives the kinds that the sentence asks for, and those that it asks for
// under a condition.
func (s *sentence) asks() (must, may kinds) {
	got := make([]kinds, len(s.clauses))
	lastOr := -1
	for i, c := range s.clauses {
		if strings.Contains(c.join, "or") {
			lastOr = i
		}
	}
	before, open := free, !s.question
	pending := kinds(0) // make sure the tests, the linter ... pass
	tested := false
	for i, c := range s.clauses {
		t, asked := imperative(c.text)
		label := i+1 < len(s.clauses) && strings.HasPrefix(s.clauses[i+1].join, ":") && !strings.Contains(t, " ") // Build: 3 minutes
		if t == "" || label {
			continue
		}
		open = open || asked || hanPolite.MatchString(c.text)
		if u := t[len(ensures.FindString(t)):]; u != t || pending != 0 {
			if n := named.FindStringSubmatchIndex(u); n != nil {
				pending |= which(n)
				before = ensuring
				continue
			}
		}
		k, m := request(t, c.text)
		if k == 0 {
			k, m = more(t, before, pending)
		}
		if k == 0 && tested && them.MatchString(t) {
			k, m = tests, running
		}
		switch {
		case c.carries(before, lastOr > i):
			k, m = 0, before
		case k == 0 && mentions.MatchString(t):
			m = mentioning
		case k == 0 && refuses.MatchString(c.text):
			m = refusing
		}
		if open {
			got[i] = k
		}
		before, pending = m, 0
		tested = tested || strings.Contains(c.text, "test")
	}
	for i, soft := range s.conditions(got) {
		if soft {
			may |= got[i]
		} else {
			must |= got[i]
		}
	}
	return must, may
}

// imperative takes off what may stand before the verb, and says if that was a
// polite question.
func imperative(t string) (string, bool) {
	t = strings.TrimSpace((t + " ")[len(opening.FindString(t+" ")):])
	p := polite.FindString(t)
	t = t[len(p):]
	t = t[len(told.FindString(t)):]
	t = strings.TrimSpace((t + " ")[len(opening.FindString(t+" ")):])
	if m := adverbial.FindStringSubmatch(t); m != nil && !subject.MatchString(m[1]) {
		t = m[2]
	}
	return t, p != ""
}

// request is what a clause asks for by itself; t is its imperative.
func request(t, whole string) (kinds, mode) {
	if m := runs.FindStringSubmatchIndex(t); m != nil && !between.MatchString(t[m[2]:m[3]]) && !other.MatchString(t[m[12]:]) {
		return which(m[2:12]), running
	}
	if m := verbs.FindStringSubmatchIndex(t); m != nil {
		return which(m), running
	}
	u := t[len(ensures.FindString(t)):]
	for _, r := range []*regexp.Regexp{holds, isGood, none} {
		if m := r.FindStringSubmatchIndex(u); m != nil && u != t {
			return which(m), ensuring
		}
	}
	if m := obliged.FindStringSubmatchIndex(t); m != nil {
		if which(m) == 0 { // the project must compile
			m = isGood.FindStringSubmatchIndex(t)
		}
		return which(m), ensuring
	}
	if m := without.FindStringSubmatchIndex(whole); m != nil {
		return which(m), running
	}
	if refuses.MatchString(whole) || mentions.MatchString(t) {
		return 0, free
	}
	if m := hanRuns.FindStringSubmatchIndex(whole); m != nil && !hanOther.MatchString(whole[m[10]:]) {
		return which(m[:10]), running
	}
	for _, r := range []*regexp.Regexp{hanEnsures, hanObliged, hanVerbs} {
		if m := r.FindStringSubmatchIndex(whole); m != nil {
			return which(m), running
		}
	}
	return 0, free
}

// more is a check that only its noun asks for, behind another; pending are
// those that wait for what is to hold.
func more(t string, before mode, pending kinds) (kinds, mode) {
	switch before {
	case running:
		for _, r := range []*regexp.Regexp{bare, hanBare} {
			if m := r.FindStringSubmatchIndex(t); m != nil {
				return which(m), before
			}
		}
	case ensuring:
		t = strings.TrimPrefix(t, "that ")
		for _, r := range []*regexp.Regexp{holds, isGood} {
			if m := r.FindStringSubmatchIndex(t); m != nil {
				return which(m) | pending, before
			}
		}
	}
	return 0, free
}

// carries says whether a refusal or a mention goes on in the clause. A comma
// ends it, except in a list that ends with or: "do not build, lint or test".
func (c clause) carries(before mode, orLater bool) bool {
	if before != refusing && before != mentioning {
		return false
	}
	for _, w := range []string{"then", "but", "然后", "但", "而是", "接着"} {
		if strings.Contains(c.join, w) {
			return false
		}
	}
	for _, w := range []string{"just ", "only ", "instead ", "please ", "只", "请", "直接"} {
		if strings.HasPrefix(c.text, w) {
			return false
		}
	}
	return !c.parted() || before == refusing && (orLater || strings.Contains(c.join, "or"))
}

const punctuation = ",，:：()（）—–- "

// parted says whether a comma or the like stands before the clause; conjoined,
// whether a conjunction does.
func (c clause) parted() bool    { return strings.ContainsAny(c.join, punctuation) }
func (c clause) conjoined() bool { return strings.Trim(c.join, punctuation) != "" }

// conditions says which clauses ask under a condition: one that stands in the
// clause, leads the sentence, trails what is joined to it without a comma, or
// stands alone beside the request.
func (s *sentence) conditions(got []kinds) []bool {
	soft := make([]bool, len(got))
	at := make([]int, len(got)) // of the condition in the clause, or -1
	all, chain := false, false
	for i, c := range s.clauses {
		at[i] = condition(c.text, i == 0)
		all = all || at[i] == 0 && (i == 0 || got[i] == 0 && c.conjoined())
		chain = at[i] == 0 || chain && !c.parted()
		soft[i] = all || chain || at[i] > 0 || perhaps.MatchString(c.text)
	}
	all, chain = false, false
	for i, c := range slices.Backward(s.clauses) {
		soft[i] = soft[i] || all || chain
		all = all || i > 0 && at[i] == 0 && got[i] == 0 && !c.conjoined()
		chain = (chain || at[i] > 0 && got[i] != 0) && !c.parted()
	}
	return soft
}

// condition is where a condition begins in a clause, or -1; 0 also behind words
// such as please. That tests may fail is none, unless it leads the sentence.
func condition(t string, first bool) int {
	at := -1
	if m := possibly.FindStringIndex(t); m != nil {
		at = m[0]
	}
	for _, m := range ifs.FindAllStringSubmatchIndex(t, -1) {
		from := m[0]
		if m[2] >= 0 {
			from = m[3] + 1
			if askedIf.MatchString(t[m[2]:m[3]]) {
				continue
			}
		}
		if (first && from == 0 || !ofResult.MatchString(t[from:min(len(t), from+100)])) && (at < 0 || from < at) {
			at = from
		}
	}
	if at > 0 && len(opening.FindString(t[:at])) == at {
		at = 0
	}
	return at
}
