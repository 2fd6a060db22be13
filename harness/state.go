package harness

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
)

// Transition is why the loop went on: each `continue` of the loop has one, and
// each is a record (A7).
type Transition string

// The transitions.
const (
	UserInput      Transition = ""                // the first prompt is none
	NextTurn       Transition = "next_turn"       // tools ran; the model is asked again
	TransportRetry Transition = "transport_retry" // the same request again, after a wait (D7)
	EmptyRetry     Transition = "empty_retry"     // the same request with a hint (D9)
	ProtocolRetry  Transition = "protocol_retry"  // the same request again (A2)
	PauseContinue  Transition = "pause_continue"  // the paused answer sent back unchanged (anthropics/anthropic-sdk-python#1170)
)

// Counters are the ladder's counters. Retries counts for one request; the
// others refill at next_turn and with a new prompt, and nowhere else
// (a counter reset by a hook once made an endless loop, D2).
type Counters struct {
	Retries  int
	Empty    int
	Protocol int
	Pauses   int
}

func (c Counters) record() map[string]int {
	m := map[string]int{}
	for _, e := range []struct {
		name string
		n    int
	}{{"retries", c.Retries}, {"empty", c.Empty}, {"protocol", c.Protocol}, {"pauses", c.Pauses}} {
		if e.n != 0 {
			m[e.name] = e.n
		}
	}
	if len(m) == 0 {
		return nil
	}
	return m
}

// OpenCall is a recorded call without an outcome.
type OpenCall struct {
	Call    string // our id
	ID      string // the provider's
	Name    string
	Input   string
	Refused string // why it will not run; "" when it will
	Started bool
}

// State is everything the loop knows, at one moment. It is a value: stepping
// never changes an older State, and only records make steps (Apply), so that
// folding a transcript gives the live state.
type State struct {
	Session  string
	Run      int        // current run, from 1; 0 before the first prompt
	Turn     int        // turns used in this run
	Calls    int        // calls made in this run
	Attempts int        // attempts begun in this session
	CallIDs  int        // call ids given in this session
	Life     int        // from 1
	Last     Transition // why the loop went on last
	Counters Counters
	Usage    providers.Usage // of this run, all attempts
	Text     string          // last committed text of this run
	Stop     string          // last raw stop reason of this run
	Ended    Reason          // "" while the run is open

	Attempt string     // the open attempt, "" for none
	Open    []OpenCall // calls without an outcome, in call order; not to be modified

	paused  bool            // the last committed answer only paused
	said    bool            // it, with the parts that it continues, says something
	answer  *journal.Record // a committed answer whose transition or terminal is not recorded yet
	settled bool            // a resume settled the last crash and nothing has happened since
	history History
}

// History returns the conversation so far.
func (s State) History() History { return s.history }

// Answer returns the committed answer that has had no transition or terminal
// yet, or nil: what a resume must take up again.
func (s State) Answer() *journal.Record { return s.answer }

// Live reports whether a run is under way: begun and without a terminal.
func (s State) Live() bool { return s.Run > 0 && s.Ended == "" }

// Apply steps from s over one record.
func Apply(s State, r *journal.Record) State {
	switch r.Kind {
	case journal.KindSession:
		s.Session, s.Life = r.Session, 1
	case journal.KindUser:
		s = State{Session: s.Session, Run: r.Run, Attempts: s.Attempts, CallIDs: s.CallIDs, Life: s.Life, Open: s.Open, history: s.history}
		s.history = s.history.append(Entry{Kind: EntryUser, Text: r.Text})
	case journal.KindAttempt:
		s.Attempts++
		s.Attempt, s.settled = r.Attempt, false
	case journal.KindAssistant:
		s.Attempt, s.answer, s.settled = "", r, false
		s.Usage = add(s.Usage, r.Usage)
		s.Stop = r.Stop
		s.said = s.paused && s.said || strings.TrimSpace(textOf(r.Blocks)) != ""
		s.paused = r.Stop == "pause_turn"
		if t := textOf(r.Blocks); t != "" {
			s.Text = t
		}
		s.Counters.Retries = 0
		s.history = s.history.append(Entry{Kind: EntryAssistant, Attempt: r.Attempt, Blocks: r.Blocks, Stop: r.Stop})
	case journal.KindDiscarded:
		s.Attempt = ""
		s.Usage = add(s.Usage, r.Usage)
	case journal.KindCall:
		s.Calls++
		s.CallIDs++
		s.settled = false
		s.Open = append(s.Open[:len(s.Open):len(s.Open)], OpenCall{r.Call, r.ID, r.Name, r.Input, r.Refused, false})
		s.history = s.history.append(Entry{Kind: EntryCall, Call: r.Call, ID: r.ID, Block: r.Block, Text: r.Input, Code: r.Refused})
	case journal.KindStarted:
		s.settled = false
		s.Open = append([]OpenCall(nil), s.Open...)
		for i := range s.Open {
			if s.Open[i].Call == r.Call {
				s.Open[i].Started = true
			}
		}
	case journal.KindResult, journal.KindToolError:
		rest := make([]OpenCall, 0, len(s.Open))
		for _, c := range s.Open {
			if c.Call != r.Call {
				rest = append(rest, c)
			}
		}
		s.Open = rest
		s.history = s.history.append(Entry{Kind: EntryResult, Call: r.Call, Text: r.Text, IsError: r.Kind == journal.KindToolError || r.IsError})
	case journal.KindTransition:
		s = s.next(Transition(r.Reason))
	case journal.KindResume:
		s.Life, s.Attempt, s.settled = r.Life, "", true
	case journal.KindTerminal:
		s.Ended, s.Turn, s.answer, s.settled = Reason(r.Reason), r.Turn, nil, false
	}
	return s
}

// next is the step of a transition: which counter it uses, and what refills.
func (s State) next(t Transition) State {
	s.Last, s.answer, s.settled = t, nil, false
	switch t {
	case NextTurn:
		s.Turn++
		s.Counters = Counters{}
	case TransportRetry:
		s.Counters.Retries++
	case EmptyRetry:
		s.Counters.Empty++
		s.Counters.Retries = 0
	case ProtocolRetry:
		s.Counters.Protocol++
		s.Counters.Retries = 0
	case PauseContinue:
		s.Counters.Pauses++
	}
	return s
}

// Fold returns the state after all records.
func Fold(records []journal.Record) State {
	var s State
	for i := range records {
		s = Apply(s, &records[i])
	}
	return s
}

// Digests folds records and returns, by sequence number, the digest of the
// state after each transition: what resume/replay compares with the digest
// that the live loop wrote.
func Digests(records []journal.Record) map[int64]string {
	var s State
	m := map[int64]string{}
	for i := range records {
		s = Apply(s, &records[i])
		if records[i].Kind == journal.KindTransition {
			m[records[i].Seq] = s.Digest()
		}
	}
	return m
}

// Digest identifies a state: equal digests, equal states, history included.
// It costs the same however long the history is.
func (s State) Digest() string {
	b := make([]byte, 0, 512)
	str := func(v string) {
		b = binary.AppendUvarint(b, uint64(len(v)))
		b = append(b, v...)
	}
	num := func(vs ...int) {
		for _, v := range vs {
			b = binary.AppendVarint(b, int64(v))
		}
	}
	str(s.Session)
	num(s.Run, s.Turn, s.Calls, s.Attempts, s.CallIDs, s.Life)
	str(string(s.Last))
	num(s.Counters.Retries, s.Counters.Empty, s.Counters.Protocol, s.Counters.Pauses)
	num(s.Usage.In, s.Usage.Out, s.Usage.CacheRead, s.Usage.CacheWrite)
	str(s.Text)
	str(s.Stop)
	str(string(s.Ended))
	str(s.Attempt)
	if s.paused {
		num(2)
	}
	if s.said {
		num(3)
	}
	for _, c := range s.Open {
		str(c.Call)
		if c.Started {
			num(1)
		}
	}
	b = append(b, s.history.sum[:]...)
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:16])
}

func add(u providers.Usage, v *providers.Usage) providers.Usage {
	if v != nil {
		u.In += v.In
		u.Out += v.Out
		u.CacheRead += v.CacheRead
		u.CacheWrite += v.CacheWrite
	}
	return u
}

// textOf joins the text blocks of an answer.
func textOf(blocks []providers.Block) string {
	text := ""
	for i := range blocks {
		if blocks[i].Kind == providers.Text && blocks[i].Text != "" {
			text += blocks[i].Text
		}
	}
	return text
}
