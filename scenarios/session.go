package scenarios

import (
	"errors"
	"io"
	"io/fs"

	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/faults"
	"github.com/harnessbench/bench/harness"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/sim"
)

// session is one conversation: a folder of its own, and what is known of it.
type session struct {
	name    string
	dir     string         // on the world's disk
	ledger  string         // effect ledger, on the world's disk
	set     harness.Config // what `config` lines say
	tools   []toolSpec
	permits []permit
	hooks   []*hook
	compact bool           // the next run or resume begins with a compaction
	polls   map[string]int // by our call id: the how manieth of its tool it is
	polled  int            // by a foreign agent
	made    map[string]int // calls of each tool, by a foreign agent
	faults  *faults.Set
	ups     []*answerer // what answered it, the last one now
	log     *evidence.Collector
	shownAs []idNames // the IDs of each shown event, for patterns
	calls   callNames
	waits   waits
	life    *life
	lives   int                // it has had
	own     map[int]bool       // world lives that were its
	ended   *evidence.Returned // what the last run or resume returned
	damaged []evidence.Damage
	given   int64
	expects []*expectation
}

// fileName is where one of the session's files lies on the world's disk.
func (s *session) fileName(which string) string {
	switch which {
	case "transcript":
		return s.dir + "/" + journal.TranscriptFile
	case "audit":
		return s.dir + "/" + journal.AuditFile
	case "head":
		return s.dir + "/" + journal.HeadFile
	}
	return s.ledger
}

// bytes returns one of the session's files as it is on disk now; nil: absent.
func (s *session) bytes(w *sim.World, which string) []byte {
	b, err := readFile(w.Files("."), s.fileName(which))
	if err != nil {
		return nil
	}
	return b
}

func (s *session) records(w *sim.World) []journal.Record {
	var ev evidence.Evidence
	ev.Load(s.bytes(w, "transcript"), nil, nil)
	return ev.Records
}

// lastText is the last committed text on disk.
func (s *session) lastText(w *sim.World) string { return harness.Fold(s.records(w)).Text }

func readFile(f env.FS, name string) ([]byte, error) {
	r, err := f.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func writeFile(f env.FS, name string, b []byte) error {
	w, err := f.Create(name)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return errors.Join(err, w.Sync(), w.Close())
}

func isAbsent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
