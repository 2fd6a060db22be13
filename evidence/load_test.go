package evidence_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// line is a transcript line as the journal writes it.
func line(r journal.Record) string {
	r.Session, r.Audit, r.Time = "s1", zeros, 1
	return string(journal.AppendRecord(nil, &r)) + "\n"
}

var (
	first  = line(journal.Record{Seq: 1, Kind: journal.KindSession, Version: 1, Model: "m", Prints: map[string]string{"tools": "abcd"}})
	second = line(journal.Record{Seq: 2, Run: 1, Kind: journal.KindUser, Text: "say \"hi\"\nnow"})
)

func TestLoad(t *testing.T) {
	for _, x := range []struct {
		name, transcript string
		seqs             []int64
		odd              string // FILE:LINE torn? glued? of the odd lines
	}{
		{"nothing", "", nil, ""},
		{"two records", first + second, []int64{1, 2}, ""},
		{"a torn tail", first + second[:30], []int64{1}, "transcript.jsonl:2 torn"},
		{"a whole record without its newline is torn too", first + strings.TrimSuffix(second, "\n"), []int64{1}, "transcript.jsonl:2 torn"},
		{"a bad line between good ones", first + "{}\n" + second, []int64{1, 2}, "transcript.jsonl:2"},
		{"NUL bytes", first + strings.Repeat("\x00", 40) + "\n" + second, []int64{1, 2}, "transcript.jsonl:2"},
		{"a record glued to a torn one", first + second[:30] + second, []int64{1, 2}, "transcript.jsonl:2 glued"},
		{"a record glued to a whole one", strings.TrimSuffix(first, "\n") + second, []int64{2}, "transcript.jsonl:1 glued"},
		{"an empty line", first + "\n" + second, []int64{1, 2}, "transcript.jsonl:2"},
	} {
		t.Run(x.name, func(t *testing.T) {
			var ev evidence.Evidence
			ev.Load([]byte(x.transcript), nil, nil)
			var seqs []int64
			for i, r := range ev.Records {
				seqs = append(seqs, r.Seq)
				s := ev.RecordAt[i]
				if got := x.transcript[s.Off:s.End]; !strings.HasPrefix(got, `{"seq":`) || !strings.HasSuffix(got, "\n") {
					t.Errorf("record %d is said to stand at %+v: %q", r.Seq, s, got)
				}
				if want := 1 + strings.Count(x.transcript[:s.Off], "\n"); s.Line != want {
					t.Errorf("record %d is said to be in line %d; want %d", r.Seq, s.Line, want)
				}
			}
			if fmt.Sprint(seqs) != fmt.Sprint(x.seqs) {
				t.Errorf("records %v; want %v", seqs, x.seqs)
			}
			var odd []string
			for _, o := range ev.Odd {
				s := fmt.Sprintf("%s:%d", o.File, o.Line)
				if o.Torn {
					s += " torn"
				}
				if o.Glued {
					s += " glued"
				}
				if o.Why == "" {
					t.Errorf("%s is odd for no reason", s)
				}
				odd = append(odd, s)
			}
			if strings.Join(odd, ", ") != x.odd {
				t.Errorf("odd: %v; want %s", odd, x.odd)
			}
		})
	}
}

// A torn line is tolerated wherever it is, and a tool never glues to it.
func TestEffects(t *testing.T) {
	var ledger []byte
	add := func(e evidence.Effect) {
		last := byte(0)
		if n := len(ledger); n > 0 {
			last = ledger[n-1]
		}
		ledger = evidence.AppendEffect(ledger, last, e)
	}
	add(evidence.Effect{Tool: "append", Call: "c1", ID: "t1", Life: 1})
	ledger = append(ledger, `{"tool":"append","call":"c2"`...) // killed here
	add(evidence.Effect{Tool: "counter", Call: "c3", ID: "../x\n", Key: "k", Life: 2, What: "é\xff"})
	ledger = append(ledger, `{"tool":"append"`...) // and here
	effects, odd := evidence.ReadEffects(ledger)
	if len(effects) != 2 || effects[0].Call != "c1" || effects[1].Call != "c3" || effects[1].ID != "../x\n" {
		t.Errorf("effects: %+v", effects)
	}
	if len(odd) != 2 || odd[0].Line != 2 || odd[0].Torn || odd[1].Line != 4 || !odd[1].Torn {
		t.Errorf("odd lines: %+v", odd)
	}
	for _, bad := range []string{`{"call":"c1"}`, `[]`, `{"tool":1}`, `{"tool":"a"}{"tool":"b"}x`} {
		if effects, odd := evidence.ReadEffects([]byte(bad + "\n")); len(effects) != 0 || len(odd) != 1 {
			t.Errorf("%s is taken for %+v", bad, effects)
		}
	}
	if effects, odd := evidence.ReadEffects([]byte("{\"tool\":\"a\"}\n\n{\"tool\":\"b\"}\n")); len(effects) != 2 || len(odd) != 0 {
		t.Errorf("a blank line is no effect and no tear: %+v %+v", effects, odd)
	}
	if effects, odd := evidence.ReadEffects([]byte(`{"tool":"sh","host":"x"}` + "\n")); len(effects) != 1 || len(odd) != 0 {
		t.Errorf("a foreign tool may say more: %+v %+v", effects, odd)
	}
}

func TestNormalise(t *testing.T) {
	transcript := first + second +
		line(journal.Record{Seq: 3, Run: 1, Kind: journal.KindAttempt, Attempt: "a1", Lane: "main", Model: "m", MaxTokens: 100, Digest: "abcdef"}) +
		line(journal.Record{Seq: 4, Run: 1, Kind: journal.KindAssistant, Attempt: "a1", Stop: "tool_use", Ending: "complete", Usage: &providers.Usage{In: 10, Out: 20}, Blocks: []providers.Block{
			{Kind: providers.Thinking, Text: "hm", Signature: "secret-signature"},
			{Kind: providers.Text, Text: strings.Repeat("é", 300)},
			{Kind: providers.ToolCall, ID: "../t 1", Name: "append", Input: "{\"a\":\n1}"},
			{Kind: providers.ToolCall, ID: "t2", Name: "append", Input: `{"a":"\"é`, Open: true},
		}}) +
		"not a record\n" +
		line(journal.Record{Seq: 5, Run: 1, Kind: journal.KindTransition, Reason: "next_turn", Turn: 1, Digest: "0123456789", Counters: map[string]int{"retries": 1, "empty": 2}}) +
		line(journal.Record{Seq: 6, Run: 1, Kind: journal.KindResult, Call: "c1", ID: "t1", State: journal.Unknown, IsError: true, Text: "unknown", Cut: 3}) +
		line(journal.Record{Seq: 7, Run: 1, Kind: journal.KindBoundary, Code: "micro", Reason: "proactive", Names: []string{"c1", "c2"}, Counters: map[string]int{"bytes_before": 9, "bytes_after": 5}}) +
		line(journal.Record{Seq: 8, Run: 1, Kind: journal.KindBoundary, Code: "summary", Reason: "overflow", From: 2, To: 5, Text: "so far"}) +
		line(journal.Record{Seq: 9, Run: 1, Kind: journal.KindResult, Call: "c1", State: journal.Done, Text: "x", Bytes: 70000, Cut: 69999, File: "results/c1.txt", Digest: "abcd", Images: []providers.ImageData{{Type: "image/png", Data: "QUJD"}}, Millis: 1234}) +
		`{"seq":10,`
	got := string(evidence.Normalise([]byte(transcript)))
	want := `   1 session    model=m
   2 user       run 1 "say \"hi\"\nnow"
   3 attempt    a1 model=m max_tokens=100
   4 assistant  a1 stop=tool_use ending=complete in=10 out=20
                  thinking "hm" signed
                  text "` + strings.Repeat("é", 200) + `"+200 bytes
                  call "../t 1" append "{\"a\":\n1}"
                  call t2 append {"a":"\"é never closed
   ? line 5: `
	if !strings.HasPrefix(got, want) {
		t.Errorf("Normalise prints\n%s\nwant it to begin with\n%s", got, want)
	}
	for _, s := range []string{
		"   5 transition next_turn turn=1 empty=2 retries=1\n",
		"   6 result     c1 t1 unknown error cut=3 \"unknown\"\n",
		"   7 boundary   proactive micro bytes_after=5 bytes_before=9 names=2\n",
		"   8 boundary   overflow summary hides=2..4 \"so far\"\n",
		"   9 result     c1 done images=1 bytes=70000 file=results/c1.txt cut=69999 \"x\"\n",
		"   ~ line 11: ",
	} {
		if !strings.Contains(got, s) {
			t.Errorf("Normalise does not print %q:\n%s", s, got)
		}
	}
	for _, s := range []string{"abcd", "s1", zeros, "secret-signature", "0123456789", "time", "1234", "QUJD"} {
		if strings.Contains(got, s) {
			t.Errorf("Normalise prints %q", s)
		}
	}
}

func TestNormaliseAudit(t *testing.T) {
	e := journal.Entry{Seq: 1, Kind: journal.KindSession, Line: zeros, Why: "a session begins", Prev: zeros}
	e.Hash = journal.Seal(&e)
	b := append(journal.AppendEntry(nil, &e), '\n')
	got := string(evidence.NormaliseAudit(append(b, "x\n"...)))
	if !strings.HasPrefix(got, "   1 session    a session begins\n   ? line 2: ") || strings.Contains(got, e.Hash) {
		t.Errorf("NormaliseAudit prints\n%s", got)
	}
}

// Describe is one line, whatever a record holds.
func TestDescribe(t *testing.T) {
	for _, k := range journal.Kinds() {
		r := journal.Record{Seq: 1, Kind: k, Attempt: "a\n1", Call: "c1", ID: "\x00", Name: "n", Input: "{\n}", Text: strings.Repeat("x\n", 1000), Detail: "d\n", Blocks: []providers.Block{{Kind: providers.Text, Text: "\n"}}}
		if d := evidence.Describe(&r); strings.ContainsAny(d, "\n\x00") || len(d) > 500 {
			t.Errorf("%s: Describe prints %q", k, d)
		}
	}
}

func TestDamagedAndMissing(t *testing.T) {
	ev := evidence.Evidence{Missing: []evidence.Kind{evidence.KindTrace}}
	if ev.Has(evidence.KindTrace) || !ev.Has(evidence.KindWire) {
		t.Error("Has does not read Missing")
	}
	for outcome, want := range map[string][2]bool{"ended": {true, false}, "": {true, false}, "killed": {false, true}, "powercut": {false, true}, "panic: x": {false, false}, "deadlock: y": {false, false}} {
		l := evidence.Life{Outcome: outcome}
		if l.Ended() != want[0] || l.Died() != want[1] {
			t.Errorf("%q: ended %v, died %v; want %v", outcome, l.Ended(), l.Died(), want)
		}
	}
}

// A hook that crashed or hung said nothing.
func TestHookFailed(t *testing.T) {
	for outcome, want := range map[string]bool{"allow": false, "block": false, "prevent": false, "halt": false, "crash": true, "hang": true, "": true} {
		if h := (evidence.Hook{Outcome: outcome}); h.Failed() != want {
			t.Errorf("%q: failed %v, want %v", outcome, h.Failed(), want)
		}
	}
}
