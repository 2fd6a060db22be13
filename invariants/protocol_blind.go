package invariants

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

func protocolRules() []Rule {
	return []Rule{{
		Name: "wire/protocol-blind", Group: "wire", Strength: Ours,
		Summary: "The same script in any protocol gives the same run: the same records, but for what only a wire knows (signatures, sizes, the words of an error, how far an answer that broke off had come), the same effects, the same requests in the same lanes, the same events shown.",
		Why:     "One verdict in a stream and another in a whole answer, or with one vendor and not with the next, is a bug that no suite finds which speaks one protocol (field report law 1).",
		Reports: []string{"strands-agents/harness-sdk#1810", "anomalyco/opencode#14972", "NousResearch/hermes-agent#91181", "coder/coder#28470"},
		Example: "The loop reads usage where one API tells it, and loses that of another, so a token budget never ends a run there.",
		Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
		Applies: func(c *Case) string {
			if c.opts.OtherProtocol == nil {
				return "the scenario was not run in another protocol"
			}
			return ""
		},
		Check: func(c *Case) []Finding { return blindTo(c.ev, c.opts.OtherProtocol) },
	}}
}

// blindTo names the first difference between a run and the same one in another
// protocol.
func blindTo(ev, other *evidence.Evidence) []Finding {
	for _, p := range []struct {
		what string
		file string
		a, b []string
	}{
		{"record", evidence.TranscriptFile, journey(ev), journey(other)},
		{"effect", evidence.EffectsFile, effectsOf(ev), effectsOf(other)},
		{"request", evidence.WireDir, lanesOf(ev), lanesOf(other)},
		{"shown event", evidence.ShownFile, shownOf(ev), shownOf(other)},
	} {
		i := 0
		for i < min(len(p.a), len(p.b)) && p.a[i] == p.b[i] {
			i++
		}
		if i == max(len(p.a), len(p.b)) {
			continue
		}
		at := func(list []string) string {
			if i < len(list) {
				return list[i]
			}
			return "none"
		}
		lines := []string{"> here:  " + at(p.a), "  other: " + at(p.b)}
		if i > 0 {
			lines = append([]string{"  both:  " + p.a[i-1]}, lines...)
		}
		return []Finding{found(Place{File: p.file}, lines, "%s %d is another one than in the other protocol, though the script is the same", p.what, i+1)}
	}
	return nil
}

// journey is a transcript as far as no wire has a say in it. A thought that one
// protocol signs and another only tells is the same thought. Of an answer that
// did not come whole, one protocol has told its tokens by then and another has
// not; that its last block was still open, only one can say.
func journey(ev *evidence.Evidence) []string {
	var out []string
	for i := range ev.Records {
		r := ev.Records[i]
		r.Seq, r.Time, r.Session, r.Audit, r.Digest, r.Prints = 0, 0, "", "", "", nil
		if r.Kind != journal.KindUser {
			r.Detail = "" // the words of an error, with sizes and ids of the wire
		}
		switch {
		case r.Kind == journal.KindNotice, r.Kind == journal.KindGate && r.Reason == "error":
			r.Text = "" // words of an error, too
		case r.Kind == journal.KindQuarantine: // torn bytes, hashes among them
			r.Text, r.Bytes, r.Cut = "", 0, 0
		case r.Ending != "" && r.Ending != "complete":
			r.Usage = nil
			if r.Ending == "aborted" {
				r.Text = "" // of which so much was there as there was
			}
		case r.Stop == "", r.Kind == journal.KindTerminal: // a sum of those that count and those that do not
			r.Usage = nil
		case r.Usage != nil && r.Usage.Out <= 1:
			u := *r.Usage // a beginning that tells one token has told nothing
			if u.Out = 0; u == (providers.Usage{}) {
				r.Usage = nil
			} else {
				r.Usage = &u
			}
		}
		if r.Stop == "tool_use" { // one word of Gemini's says both
			r.Stop = "end_turn"
		}
		if r.Kind == journal.KindBoundary {
			r.Counters = nil // sizes
		}
		r.Input = canonicalOf(r.Input)
		r.Blocks = slices.Clone(r.Blocks)
		for k := range r.Blocks {
			b := &r.Blocks[k]
			b.Signature, b.Input, b.Open = "", canonicalOf(b.Input), false
			if b.Kind == providers.ToolCall || b.Kind == providers.Image {
				b.Raw = ""
			}
		}
		b, err := json.Marshal(r)
		if err != nil {
			b = []byte(err.Error())
		}
		out = append(out, string(b))
	}
	return out
}

// canonicalOf is an input without the spelling that a protocol chose; bytes that
// are no JSON stay as they are.
func canonicalOf(input string) string {
	if strings.TrimSpace(input) == "" {
		return ""
	}
	return canonical(input)
}

func effectsOf(ev *evidence.Evidence) []string {
	var out []string
	for _, e := range ev.Effects {
		out = append(out, fmt.Sprintf("%s of call %s (%s), life %d", e.Tool, e.Call, e.ID, e.Life))
	}
	return out
}

// lanesOf is the lane of each request and whether it was answered; the status of
// an error is the API's choice.
func lanesOf(ev *evidence.Evidence) []string {
	var out []string
	for _, x := range ev.Wire {
		answer := "no answer"
		switch {
		case x.Status/100 == 2:
			answer = "an answer"
		case x.Status != 0:
			answer = "an error"
		}
		out = append(out, fmt.Sprintf("lane %s, life %d: %s", x.Lane, x.Life, answer))
	}
	return out
}

// shownOf leaves previews out: how many deltas a text comes in is the wire's.
func shownOf(ev *evidence.Evidence) []string {
	var out []string
	for _, s := range ev.Shown {
		if s.Kind != "preview" {
			out = append(out, fmt.Sprintf("%s record %d, life %d", s.Kind, s.Record, s.Life))
		}
	}
	return out
}
