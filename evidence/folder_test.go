package evidence_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harnessbench/bench/evidence"
)

// sample has something of everything.
func sample() *evidence.Evidence {
	ev := &evidence.Evidence{
		Wire: []*evidence.Exchange{
			{N: 1, Life: 1, Lane: "main", Attempt: "a1", Method: "POST", Path: "/v1/messages", Header: map[string][]string{"B": {"2"}, "A": {"1", "x"}},
				Body: []byte("{}"), At: time.Date(2026, 1, 1, 0, 0, 1, 5, time.UTC), Status: 200, Reply: []byte("data: <&>\r\n\r\n\xff"), Chunks: []int{3, 11}, Head: map[string][]string{"Content-Type": {"text/event-stream"}}, Ending: "eof", Place: "r.script:3"},
			{N: 2, Life: 2, Lane: "../../etc", Body: []byte("x"), Ending: "refused", Reason: "illegal"},
		},
		Head:  []byte("head\n"),
		Shown: []evidence.Shown{{Seq: 1, Life: 1, Kind: "preview", Attempt: "a1", Text: "<é>"}, {Seq: 2, Life: 1, Kind: "assistant", Record: 4, Line: zeros, Step: 3}},
		Trace: []evidence.Step{{Seq: 1, Life: 1, At: time.Millisecond, Kind: evidence.StepAppend, File: "session/transcript.jsonl", Len: 5}},
		Lives: []evidence.Life{{N: 1, Outcome: "killed", Real: true, Left: []string{"tool x"}, Point: "tool.ran"}},
		Hooks: []evidence.Hook{{Step: 1, Life: 1, Kind: evidence.HookStop, Active: true, Outcome: "block", Text: "<not yet>"}, {Life: 2, Kind: evidence.HookTool, Outcome: "crash"}},
		Limits: evidence.Limits{
			MaxTurns: 3, PerTurn: 2, PerRun: 1, Retries: 10, Fallbacks: 1, Counters: map[string]int{"drains": 1, "empty": 0},
			BlockAt: 5, SummaryFails: 3, TokenBudget: 7, Nudge: 6, LoopAfter: 4,
		},
		Tools: []evidence.ToolInfo{{Name: "append", Ledger: true, Background: true, Shell: true, Deferred: true, StopsSiblings: true, Schema: "{}"}},
		Runs:  []evidence.Returned{{Life: 1, Run: 1, Reason: "completed", Text: "x", Refuse: true}},
		Log:   "printed\n", Faults: []evidence.Armed{{What: "at x kill", Place: "f:1", Fired: 1}}, Unused: []string{"a reply"},
		Given: 2, Damaged: []evidence.Damage{{Kind: evidence.KindAudit, What: "damage audit cut=1", Lost: true}},
		Secrets: []string{"canary"},
	}
	ev.Load([]byte(first+second+"torn"), []byte("x\n"), []byte(`{"tool":"append","call":"c1"}`+"\n"))
	return ev
}

func TestSaveAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "deep", "evidence")
	ev := sample()
	for range 2 { // also over itself
		if err := ev.Save(dir); err != nil {
			t.Fatal(err)
		}
		got, err := evidence.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		want := *ev
		want.Secrets = nil
		if !reflect.DeepEqual(got, &want) {
			t.Errorf("Read does not give back what Save wrote:\n%s\nwant\n%s", dump(got), dump(&want))
		}
	}
	names := files(t, dir)
	want := "audit.head audit.jsonl effects.jsonl hooks.jsonl lives.json shown.jsonl trace.jsonl transcript.jsonl " +
		"wire/1-main.reply wire/1-main.request wire/2-other.reply wire/2-other.request wire/exchanges.jsonl"
	if strings.Join(names, " ") != want {
		t.Errorf("the folder holds %v; want %v", names, want)
	}
	for _, n := range names {
		b, err := os.ReadFile(filepath.Join(dir, n))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "canary") {
			t.Errorf("%s holds the canary", n)
		}
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "wire/1-main.reply")); string(b) != "data: <&>\r\n\r\n\xff" {
		t.Errorf("the reply is saved as %q", b)
	}
}

func dump(ev *evidence.Evidence) string {
	b, err := json.MarshalIndent(ev, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func files(t *testing.T, dir string) []string {
	var names []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// A second Save leaves nothing of the first, and nothing that is not its own
// is touched.
func TestSaveSweeps(t *testing.T) {
	dir := t.TempDir()
	mine := []string{"notes.txt", "wire/1-main.txt", "wire/readme"}
	if err := os.Mkdir(filepath.Join(dir, "wire"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, n := range append(mine, ".part-transcript.jsonl", "wire/.part-7-main.reply", "wire/9-main.reply") {
		if err := os.WriteFile(filepath.Join(dir, n), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := sample().Save(dir); err != nil {
		t.Fatal(err)
	}
	small := &evidence.Evidence{Missing: []evidence.Kind{evidence.KindTranscript, evidence.KindAudit, evidence.KindShown, evidence.KindTrace, evidence.KindHooks}}
	if err := small.Save(dir); err != nil {
		t.Fatal(err)
	}
	want := "effects.jsonl lives.json notes.txt wire/1-main.txt wire/exchanges.jsonl wire/readme"
	if got := strings.Join(files(t, dir), " "); got != want {
		t.Errorf("the folder holds %s; want %s", got, want)
	}
	got, err := evidence.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if got.Has(evidence.KindTranscript) || !got.Has(evidence.KindWire) || !got.Has(evidence.KindEffects) {
		t.Errorf("missing: %v", got.Missing)
	}
}

// Nothing is written outside the folder, not through a link either.
func TestSaveStaysInside(t *testing.T) {
	outside := t.TempDir()
	dir := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "wire")); err != nil {
		t.Fatal(err)
	}
	if err := sample().Save(dir); err == nil {
		t.Error("wire is a link out of the folder, and Save follows it")
	}
	if names := files(t, outside); len(names) > 0 {
		t.Errorf("Save wrote %v outside its folder", names)
	}

	dir = t.TempDir()
	target := filepath.Join(outside, "target")
	if err := os.WriteFile(target, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, filepath.Join(dir, "transcript.jsonl")); err != nil {
		t.Fatal(err)
	}
	if err := sample().Save(dir); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(target); string(b) != "mine" {
		t.Errorf("a link's target was overwritten: %q", b)
	}
}

// A bare session is evidence too: what is not there is missing.
func TestReadBareSession(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "transcript.jsonl"), []byte(first+second), 0o600); err != nil {
		t.Fatal(err)
	}
	ev, err := evidence.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(ev.Records) != 2 || !ev.Has(evidence.KindTranscript) {
		t.Errorf("%d records, missing %v", len(ev.Records), ev.Missing)
	}
	for _, k := range []evidence.Kind{evidence.KindWire, evidence.KindAudit, evidence.KindShown, evidence.KindEffects, evidence.KindTrace, evidence.KindLives, evidence.KindHooks} {
		if ev.Has(k) {
			t.Errorf("%s is said to be there", k)
		}
	}
}

func TestReadErrors(t *testing.T) {
	if _, err := evidence.Read(t.TempDir()); err == nil || !strings.Contains(err.Error(), "holds no evidence") {
		t.Errorf("an empty folder: %v", err)
	}
	if _, err := evidence.Read(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a folder that is not there is read")
	}
	for name, change := range map[string]func(dir string) (file, content string){
		"lives.json is not what Save writes":    func(string) (string, string) { return "lives.json", `{"lives":[],"more":1}` },
		"shown.jsonl:2 is not what Save writes": func(string) (string, string) { return "shown.jsonl", "{\"n\":1,\"life\":1,\"kind\":\"x\"}\n{\n" },
		"hooks.jsonl:1 is not":                  func(string) (string, string) { return "hooks.jsonl", "{\"step\":1,\"verdict\":\"x\"}\n" },
		"trace.jsonl:1 is not":                  func(string) (string, string) { return "trace.jsonl", "{\"n\":1} {}\n" },
		"wire/1-main.request is not there": func(dir string) (string, string) {
			os.Remove(filepath.Join(dir, "wire/1-main.request"))
			return "log", ""
		},
		"wire/exchanges.jsonl:1": func(string) (string, string) {
			return "wire/exchanges.jsonl", `{"n":1,"life":1,"request":"../../etc/passwd","reply":"1-main.reply"}` + "\n"
		},
	} {
		dir := t.TempDir()
		if err := sample().Save(dir); err != nil {
			t.Fatal(err)
		}
		file, content := change(dir)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := evidence.Read(dir); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("want an error that says %q; got %v", name, err)
		}
	}
}

// All of a collector may be used by many at once; its evidence is a view that
// later events do not change.
func TestCollector(t *testing.T) {
	c := evidence.NewCollector()
	var wg sync.WaitGroup
	for range 8 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := c.Exchange(evidence.Exchange{Lane: "main"})
			x.Answer(200, map[string][]string{"A": {"b"}})
			for range 10 {
				x.Deliver([]byte("ab"))
				c.Show(evidence.Shown{Kind: "preview"})
				c.Hook(evidence.Hook{Kind: evidence.HookStop, Outcome: "allow"})
				c.Step(evidence.Step{Kind: evidence.StepReply, N: x.N()})
				c.Evidence()
			}
			x.Deliver(nil)
			x.End("eof", "")
			x.End("reset", "too late")
			c.Life(evidence.Life{N: 1})
			c.Return(evidence.Returned{Run: 1})
			if _, err := c.Write([]byte("log\n")); err != nil {
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	ev := c.Evidence()
	if len(ev.Wire) != 8 || len(ev.Shown) != 80 || len(ev.Hooks) != 80 || len(ev.Trace) != 80 || len(ev.Lives) != 8 || len(ev.Runs) != 8 || len(ev.Log) != 32 {
		t.Errorf("%d exchanges, %d shown, %d hooks, %d steps, %d lives, %d runs, %d bytes of log", len(ev.Wire), len(ev.Shown), len(ev.Hooks), len(ev.Trace), len(ev.Lives), len(ev.Runs), len(ev.Log))
	}
	for i, x := range ev.Wire {
		if x.N != i+1 || len(x.Reply) != 20 || len(x.Chunks) != 10 || x.Ending != "eof" || x.Status != 200 {
			t.Errorf("exchange %d: %+v", i, x)
		}
	}
	for i := range ev.Shown {
		if ev.Shown[i].Seq != int64(i)+1 || ev.Trace[i].Seq != int64(i)+1 {
			t.Errorf("event %d has number %d, step %d", i+1, ev.Shown[i].Seq, ev.Trace[i].Seq)
		}
	}
	x := c.Exchange(evidence.Exchange{})
	x.Deliver([]byte("before"))
	view := c.Evidence()
	x.Deliver([]byte(" after"))
	x.End("reset", "")
	c.Show(evidence.Shown{})
	c.Hook(evidence.Hook{})
	if v := view.Wire[8]; string(v.Reply) != "before" || v.Ending != "" || len(view.Shown) != 80 || len(view.Hooks) != 80 {
		t.Errorf("the view has changed: %q, %s", v.Reply, v.Ending)
	}
}
