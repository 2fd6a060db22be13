package invariants

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
)

func secretRules() []Rule {
	return []Rule{{
		Name: "secrets/none", Group: "secrets", Strength: Ours,
		Summary: "A canary that was planted as a secret appears in no artifact: not in the ledgers, not in what was shown, sent, logged or returned; not encoded either.",
		Why:     "Transcripts, logs and recordings are sent around by people who trust that they hold no keys (C15, O2; invariant 11 of the mechanisms).",
		Reports: []string{"php-vcr/php-vcr#503", "canonical/ubuntu.com#16555", "mailtrap/mailtrap-ruby#125", "traceloop/openllmetry#4150"},
		Example: "The shell tool inherits the environment, the model runs env, and the key is in the transcript.",
		Applies: func(c *Case) string {
			if !slices.ContainsFunc(c.ev.Secrets, func(s string) bool { return s != "" }) {
				return "no canary was planted"
			}
			return ""
		},
		Check: secrets,
	}}
}

// artifact is one thing that people keep or send around.
type artifact struct {
	where Place
	data  []byte
}

func secrets(c *Case) []Finding {
	var out []Finding
	list := c.artifacts()
	shown := c.shownText()
	told := len(list)
	for n, s := range c.ev.Secrets {
		if s == "" {
			continue
		}
		forms := spellings(s)
		// Shown events are many and small: they are looked at one by one only
		// when there is something to find in all of them together.
		if len(list) == told && slices.ContainsFunc(forms, func(f spelling) bool { return bytes.Contains(shown, []byte(f.text)) }) {
			list = append(list, c.shownArtifacts()...)
		}
		for _, a := range list {
			proof := proof{}
			if len(a.data) > 256 { // less is searched as fast as it is remembered
				if proof = c.opts.Memo.proof("secret "+s, a.data); proof.known() {
					continue
				}
			}
			clean := true
			for _, f := range forms {
				if i := bytes.Index(a.data, []byte(f.text)); i >= 0 {
					w := a.where
					if w.Line == 0 && w.Exchange == 0 && w.Life == 0 {
						w.Line = 1 + bytes.Count(a.data[:i], []byte{'\n'})
					}
					out = append(out, found(w, nil, "canary %d appears %sat byte %d", n+1, f.how, i))
					clean = false
					break
				}
			}
			if clean {
				proof.keep()
			}
		}
	}
	return out
}

// artifacts lists everything that is written, sent or returned.
func (c *Case) artifacts() []artifact {
	ev := c.ev
	list := []artifact{
		{Place{File: evidence.TranscriptFile}, ev.Transcript},
		{Place{File: evidence.AuditFile}, ev.Audit},
		{Place{File: evidence.HeadFile}, ev.Head},
		{Place{File: evidence.EffectsFile}, ev.Ledger},
		{Place{File: "log"}, []byte(ev.Log)},
	}
	for _, h := range ev.Hooks {
		list = append(list, artifact{Place{File: evidence.HooksFile, Life: h.Life}, []byte(h.Outcome + "\n" + h.Text)})
	}
	for _, r := range ev.Runs {
		list = append(list, artifact{Place{File: evidence.LivesFile, Life: r.Life}, []byte(strings.Join([]string{r.Reason, r.Detail, r.Text, r.Err}, "\n"))})
	}
	for _, x := range c.exchanges {
		list = append(list,
			artifact{Place{File: evidence.RequestFile(x.Exchange), Exchange: x.N}, x.Body},
			artifact{Place{File: evidence.ReplyFile(x.Exchange), Exchange: x.N}, x.Reply},
			artifact{Place{File: evidence.ExchangesFile, Exchange: x.N}, []byte(x.Path + "\n" + headers(x.Header) + headers(x.Head) + x.Reason)})
	}
	return list
}

// shownText is the text of all shown events: what one of them holds, it holds.
func (c *Case) shownText() []byte {
	var b []byte
	for i := range c.ev.Shown {
		b = appendShown(b, &c.ev.Shown[i])
	}
	return b
}

func (c *Case) shownArtifacts() []artifact {
	list := make([]artifact, len(c.ev.Shown))
	for i := range c.ev.Shown {
		list[i] = artifact{Place{File: evidence.ShownFile, Line: i + 1}, appendShown(nil, &c.ev.Shown[i])}
	}
	return list
}

func appendShown(b []byte, s *evidence.Shown) []byte {
	for _, text := range [...]string{s.Kind, s.Attempt, s.Call, s.ID, s.Text} {
		b = append(append(b, text...), '\n')
	}
	return b
}

func headers(h map[string][]string) string {
	var lines []string
	for k, vs := range h {
		for _, v := range vs {
			lines = append(lines, k+": "+v+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

type spelling struct{ how, text string }

// spellings are the forms in which a secret gets into an artifact.
func spellings(s string) []spelling {
	list := []spelling{{"", s}}
	add := func(how, text string) {
		if text != "" && !slices.ContainsFunc(list, func(o spelling) bool { return strings.Contains(text, o.text) }) {
			list = append(list, spelling{how, text})
		}
	}
	add("with escapes ", strings.Trim(quotedJSON(s), `"`))
	add("escaped for a URL ", url.QueryEscape(s))
	add("in hex ", hex.EncodeToString([]byte(s)))
	// In base64 the first and last characters depend on what stands beside the
	// secret; those in the middle do not.
	for shift := range 3 {
		enc := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:shift] + s))
		from, to := []int{0, 2, 3}[shift], len(enc)
		if (len(s)+shift)%3 != 0 {
			to--
		}
		if to-from >= 8 {
			add("in base64 ", enc[from:to])
		}
	}
	return list
}
