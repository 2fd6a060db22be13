package journal

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/providers"
)

// bare is the least that two durable ledgers can cost: a write and an fdatasync
// each, of the bytes that the journal would write.
type bare struct{ t, a env.File }

func newBare(b *testing.B) bare {
	e := realEnv(b, b.TempDir())
	t, err := e.FS.Append("t")
	if err != nil {
		b.Fatal(err)
	}
	a, err := e.FS.Append("a")
	if err != nil {
		b.Fatal(err)
	}
	return bare{t, a}
}

func (w bare) write(b *testing.B, t, a []byte) {
	for _, x := range []struct {
		f env.File
		b []byte
	}{{w.t, t}, {w.a, a}} {
		if err := write(x.f, x.b); err != nil {
			b.Fatal(err)
		}
		if err := x.f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// benchCommit commits groups of n records, in turn with the bare writes of one.
func benchCommit(b *testing.B, n int) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	j, _, err := Create(realEnv(b, b.TempDir()), "s1", Record{})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	w := newBare(b)
	line, entry := make([]byte, 500), make([]byte, 300)
	recs := make([]Record, n)
	ptrs := make([]*Record, n)
	text := strings.Repeat("x", 300)
	var commit, plain time.Duration
	for b.Loop() {
		for i := range recs {
			recs[i] = Record{Kind: KindResult, Call: "c1", State: Done, Text: text}
			ptrs[i] = &recs[i]
		}
		start := time.Now()
		if err := j.Commit("the tool returned", ptrs...); err != nil {
			b.Fatal(err)
		}
		mid := time.Now()
		w.write(b, line, entry)
		commit += mid.Sub(start)
		plain += time.Since(mid)
	}
	b.ReportMetric(float64(commit.Nanoseconds())/float64(b.N*n), "ns/record")
	b.ReportMetric(float64(plain)*float64(n)/float64(commit), "x-bare")
}

func BenchmarkCommit(b *testing.B)   { benchCommit(b, 1) }
func BenchmarkCommit64(b *testing.B) { benchCommit(b, 64) }

// BenchmarkCommitCPU is the journal's own cost, without a disk.
func BenchmarkCommitCPU(b *testing.B) {
	j, _, err := Create(newDisk().env(), "s1", Record{})
	if err != nil {
		b.Fatal(err)
	}
	j.transcript, j.audit = sink{}, sink{}
	text := strings.Repeat("x", 300)
	var r Record
	b.ReportAllocs()
	for b.Loop() {
		r = Record{Kind: KindResult, Call: "c1", State: Done, Text: text}
		if err := j.Commit("the tool returned", &r); err != nil {
			b.Fatal(err)
		}
	}
}

type memFile struct{ bytes.Buffer }

func (*memFile) Sync() error  { return nil }
func (*memFile) Close() error { return nil }

// longSession is a session of about n records as a coding agent leaves them.
// The result of each call has 57*lines bytes.
func longSession(b *testing.B, n, lines int) (transcript, audit, head []byte) {
	b.Helper()
	d := newDisk()
	j, _, err := Create(d.env(), "s0123456789abcdef", Record{Model: "m"})
	if err != nil {
		b.Fatal(err)
	}
	var t, a memFile
	t.Write(d.dir[TranscriptFile].data)
	a.Write(d.dir[AuditFile].data)
	j.transcript, j.audit = &t, &a
	commit := func(why string, recs ...*Record) {
		if err := j.Commit(why, recs...); err != nil {
			b.Fatal(err)
		}
	}
	say := strings.Repeat("I will look at the file first, then change it. ", 5)
	out := strings.Repeat("\tif err != nil {\n\t\treturn fmt.Errorf(\"open: %w\", err)\n\t}\n", lines)
	commit("the user asked", &Record{Kind: KindUser, Text: "fix the test"})
	for i := 0; j.seq < int64(n); i++ {
		at, call, id := fmt.Sprint("a", i), fmt.Sprint("c", i), fmt.Sprint("toolu_01A09q90qw90lq91", i)
		in := fmt.Sprintf(`{"path":"internal/store/file%d.go","offset":%d}`, i%100, i)
		commit("a request is due", &Record{Kind: KindAttempt, Attempt: at, Lane: "main", Model: "m", MaxTokens: 8192, Digest: string(zeros[:16])})
		commit("the turn is complete", &Record{Kind: KindAssistant, Attempt: at, Stop: "tool_use", Ending: "complete", Usage: &providers.Usage{In: 1000 + i, Out: 90},
			Blocks: []providers.Block{{Kind: providers.Text, Text: say}, {Kind: providers.ToolCall, ID: id, Name: "read_file", Input: in}}},
			&Record{Kind: KindCall, Call: call, ID: id, Name: "read_file", Input: in, Attempt: at, Block: 1})
		commit("valid and allowed", &Record{Kind: KindStarted, Call: call})
		commit("the tool returned", &Record{Kind: KindResult, Call: call, State: Done, Text: out})
		commit("calls were answered", &Record{Kind: KindTransition, Reason: "next_turn", Turn: i + 1, Digest: string(zeros[:16]), Counters: map[string]int{"transport": 0}})
	}
	commit("done", &Record{Kind: KindTerminal, Reason: "completed"})
	if err := j.Anchor(); err != nil {
		b.Fatal(err)
	}
	return t.Bytes(), a.Bytes(), d.dir[HeadFile].data
}

const benchRecords = 100_000

// cpu is the processor time this process has used. Unlike the clock on the
// wall it does not count what the neighbours do.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// against runs a and its yardstick in turn and reports how fast a is in terms
// of the yardstick, by processor time: 2 is twice as fast.
func against(b *testing.B, bytes int, a, yardstick func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	var ta, ty time.Duration
	for b.Loop() {
		start := cpu()
		a()
		mid := cpu()
		yardstick()
		ta += mid - start
		ty += cpu() - mid
	}
	b.ReportMetric(float64(bytes)*float64(b.N)/1e6/ta.Seconds(), "own-MB/s")
	b.ReportMetric(float64(ty)/float64(ta), "x-yardstick")
}

func BenchmarkVerify(b *testing.B) {
	for _, lines := range []int{15, 100} {
		t, a, h := longSession(b, benchRecords*15/lines, lines)
		name := fmt.Sprintf("%dB-records/", len(t)/bytes.Count(t, []byte("\n")))
		verify := func() {
			if err := Verify(t, a, h); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(name+"sha256-of-transcript", func(b *testing.B) { against(b, len(t), verify, func() { sha256.Sum256(t) }) })
		b.Run(name+"sha256-of-both", func(b *testing.B) {
			against(b, len(t)+len(a), verify, func() { sha256.Sum256(t); sha256.Sum256(a) })
		})
	}
}

func tokens(b *testing.B, t []byte) {
	d := jsontext.NewDecoder(bytes.NewReader(t))
	n := 0
	for {
		k, err := d.ReadToken()
		if err == io.EOF {
			return
		}
		if err != nil {
			b.Fatal(err)
		}
		if k.Kind() == '"' {
			n += len(k.String())
		}
	}
}

func BenchmarkParse(b *testing.B) {
	t, _, _ := longSession(b, benchRecords, 15)
	parse := func() {
		for _, err := range Records(bytes.NewReader(t)) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("jsontext-tokens", func(b *testing.B) { against(b, len(t), parse, func() { tokens(b, t) }) })
	b.Run("jsontext-values", func(b *testing.B) {
		against(b, len(t), parse, func() {
			d := jsontext.NewDecoder(bytes.NewReader(t))
			for {
				if _, err := d.ReadValue(); err == io.EOF {
					return
				} else if err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// BenchmarkOpen is all of Open on a real file system, everything kept.
func BenchmarkOpen(b *testing.B) {
	t, a, h := longSession(b, benchRecords, 15)
	e := realEnv(b, b.TempDir())
	for name, content := range map[string][]byte{TranscriptFile: t, AuditFile: a, HeadFile: h} {
		if err := replace(e.FS, name, content); err != nil {
			b.Fatal(err)
		}
	}
	against(b, len(t), func() {
		j, l, err := Open(e)
		if err != nil {
			b.Fatal(err)
		}
		if len(l.Records) < benchRecords {
			b.Fatal(len(l.Records))
		}
		j.Close()
	}, func() { tokens(b, t); sha256.Sum256(t) })
}

func BenchmarkAppendRecord(b *testing.B) {
	r := sampleGroups("a1", "c1")[1][2]
	buf := make([]byte, 0, 4096)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendRecord(buf[:0], r)
	}
	b.SetBytes(int64(len(buf)))
}
