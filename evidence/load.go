package evidence

import (
	"bytes"
	"fmt"

	"github.com/harnessbench/bench/harness/journal"
)

// Names of the files, in findings and in the folder.
const (
	TranscriptFile = "transcript.jsonl"
	AuditFile      = "audit.jsonl"
	HeadFile       = "audit.head"
	EffectsFile    = "effects.jsonl"
	ShownFile      = "shown.jsonl"
	HooksFile      = "hooks.jsonl"
	TraceFile      = "trace.jsonl"
	LivesFile      = "lives.json"
	WireDir        = "wire"
	ExchangesFile  = "wire/exchanges.jsonl"
)

// Spot is where a line stands in its file.
type Spot struct {
	Line int   // from 1
	Off  int64 // of its first byte
	End  int64 // behind its newline
}

// Odd is a line that is not what belongs there. Torn: it is the last of its
// file and has no newline, which is what a killed process leaves.
type Odd struct {
	File string
	Spot
	Torn bool
	Why  string // one sentence
	Text string // its beginning
	// Glued: behind the beginning, in the same line, stands a whole record or
	// effect, which Load has taken. Somebody appended without looking at what
	// was there (github/copilot-cli#4098).
	Glued bool
}

// Load takes the bytes of the three files and decodes them. It never fails:
// what cannot be read is in Odd, and rules judge it.
func (ev *Evidence) Load(transcript, audit, effects []byte) {
	ev.Transcript, ev.Audit, ev.Ledger = transcript, audit, effects
	ev.Odd = nil
	ev.Records, ev.RecordAt = load(&ev.Odd, TranscriptFile, transcript, `{"seq":`, journal.Parse)
	ev.Entries, ev.EntryAt = load(&ev.Odd, AuditFile, audit, `{"seq":`, journal.ParseEntry)
	ev.Effects, ev.EffectAt = load(&ev.Odd, EffectsFile, effects, `{"tool":`, parseEffect)
}

// load reads a file line by line. begin is how a whole line begins: where one
// stands inside an unreadable line, it was glued to what was there before.
func load[T any](odd *[]Odd, file string, b []byte, begin string, parse func([]byte) (T, error)) ([]T, []Spot) {
	n := bytes.Count(b, []byte{'\n'})
	list, at := make([]T, 0, n), make([]Spot, 0, n)
	take := func(line []byte, s Spot) error {
		v, err := parse(line)
		if err == nil {
			list, at = append(list, v), append(at, s)
		}
		return err
	}
	s := Spot{}
	for int(s.End) < len(b) {
		s.Line++
		s.Off = s.End
		line := b[s.Off:]
		i := bytes.IndexByte(line, '\n')
		if i < 0 {
			s.End = int64(len(b))
			*odd = append(*odd, Odd{File: file, Spot: s, Torn: true, Text: head(line),
				Why: fmt.Sprintf("it ends without a newline after %d bytes, so it was never committed", len(line))})
			break
		}
		s.End = s.Off + int64(i) + 1
		line = line[:i]
		if len(line) == 0 && file == EffectsFile {
			continue // the newline that closed off a torn line
		}
		err := take(line, s)
		if err == nil {
			continue
		}
		o := Odd{File: file, Spot: s, Text: head(line), Why: err.Error()}
		for at := 1; ; at++ {
			j := bytes.Index(line[min(at, len(line)):], []byte(begin))
			if j < 0 {
				break
			}
			at += j
			if take(line[at:], Spot{s.Line, s.Off + int64(at), s.End}) == nil {
				o.Glued = true
				o.Why = fmt.Sprintf("a whole line is glued to the %d bytes of a torn one", at)
				break
			}
		}
		*odd = append(*odd, o)
	}
	return list, at
}

// head is the beginning of a line, for a report.
func head(line []byte) string {
	const most = 120
	if at := prefix(string(line[:min(len(line), most+1)]), most); len(at) < len(line) {
		return at + "..."
	}
	return string(line)
}

// OddIn returns what is odd in one file.
func (ev *Evidence) OddIn(file string) []Odd {
	var list []Odd
	for _, o := range ev.Odd {
		if o.File == file {
			list = append(list, o)
		}
	}
	return list
}
