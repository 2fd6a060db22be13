package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/harnessbench/bench/providers"
)

// rest is the content of LivesFile: everything that is in no file of its own.
type rest struct {
	Lives   []Life     `json:"lives"`
	Runs    []Returned `json:"runs"`
	Limits  Limits     `json:"limits"`
	Tools   []ToolInfo `json:"tools,omitzero"`
	Faults  []Armed    `json:"faults,omitzero"`
	Unused  []string   `json:"unused,omitzero"`
	Given   int64      `json:"given,omitzero"`
	Damaged []Damage   `json:"damaged,omitzero"`
	Missing []Kind     `json:"missing,omitzero"`
	Log     string     `json:"log,omitzero"`
}

// exchangeLine is one line of ExchangesFile: an exchange without its bodies,
// which have files of their own.
type exchangeLine struct {
	N       int                 `json:"n"`
	Life    int                 `json:"life"`
	Lane    string              `json:"lane,omitzero"`
	Attempt string              `json:"attempt,omitzero"`
	Method  string              `json:"method,omitzero"`
	Path    string              `json:"path,omitzero"`
	Header  map[string][]string `json:"header,omitzero"`
	At      time.Time           `json:"at,omitzero"`
	Status  int                 `json:"status,omitzero"`
	Head    map[string][]string `json:"head,omitzero"`
	Chunks  []int               `json:"chunks,omitzero"`
	Ending  string              `json:"ending,omitzero"`
	Place   string              `json:"place,omitzero"`
	Reason  string              `json:"reason,omitzero"`
	Request string              `json:"request"` // file, relative to WireDir
	Reply   string              `json:"reply"`
}

// wireFile names the file of one side of an exchange: N-LANE.request. The lane
// came in a header, so it is data and chosen from a closed list.
func wireFile(e *Exchange, side string) string {
	lane := e.Lane
	switch lane {
	case "":
		lane = providers.LaneMain
	case providers.LaneMain, providers.LaneSummary, providers.LaneJudge, providers.LaneTitle, providers.LaneMemory, providers.LaneProbe:
	default:
		lane = "other"
	}
	return fmt.Sprintf("%d-%s.%s", e.N, lane, side)
}

// RequestFile and ReplyFile name an exchange's files in the folder, for reports.
func RequestFile(e *Exchange) string { return WireDir + "/" + wireFile(e, "request") }

// ReplyFile names the file of an exchange's reply in the folder.
func ReplyFile(e *Exchange) string { return WireDir + "/" + wireFile(e, "reply") }

// Save writes the evidence into dir, which is made if need be. Each file is
// replaced in one step, so a reader sees the old or the new one; nothing is
// written outside dir, not through a link either, and no name comes from data.
// What an earlier Save left and this one does not have is removed.
//
//	transcript.jsonl audit.jsonl audit.head effects.jsonl    as the loop and the tools left them
//	shown.jsonl hooks.jsonl trace.jsonl                      one event, one question, one step a line
//	lives.json                                               lives, results, limits, tools, faults
//	wire/exchanges.jsonl                                     one exchange a line, without bodies
//	wire/N-LANE.request wire/N-LANE.reply                    the bodies, as received and as delivered
//
// The canaries (Secrets) are not written: a folder of evidence is an artifact too.
func (ev *Evidence) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	w := writer{root: root, kept: map[string]bool{}}
	w.dir(WireDir)
	w.file(TranscriptFile, ev.Transcript, ev.Has(KindTranscript))
	w.file(AuditFile, ev.Audit, ev.Has(KindAudit))
	w.file(HeadFile, ev.Head, ev.Head != nil)
	w.file(EffectsFile, ev.Ledger, ev.Has(KindEffects))
	w.file(ShownFile, lines(ev.Shown), ev.Has(KindShown))
	w.file(HooksFile, lines(ev.Hooks), ev.Has(KindHooks))
	w.file(TraceFile, lines(ev.Trace), ev.Has(KindTrace))
	list := make([]exchangeLine, len(ev.Wire))
	for i, e := range ev.Wire {
		list[i] = exchangeLine{
			e.N, e.Life, e.Lane, e.Attempt, e.Method, e.Path, e.Header, e.At, e.Status, e.Head, e.Chunks, e.Ending, e.Place, e.Reason,
			wireFile(e, "request"), wireFile(e, "reply"),
		}
		w.file(RequestFile(e), e.Body, true)
		w.file(ReplyFile(e), e.Reply, true)
	}
	w.file(ExchangesFile, lines(list), ev.Has(KindWire))
	w.file(LivesFile, text(rest{
		ev.Lives, ev.Runs, ev.Limits, ev.Tools, ev.Faults, ev.Unused, ev.Given, ev.Damaged, ev.Missing, ev.Log,
	}), true)
	w.sweep(".")
	w.sweep(WireDir)
	return w.err
}

// writer writes below one folder and remembers the first error.
type writer struct {
	root *os.Root
	kept map[string]bool
	err  error
}

func (w *writer) dir(name string) {
	if w.err == nil {
		w.err = w.root.MkdirAll(name, 0o700)
	}
}

// part is where a file is made before it takes its name.
func part(name string) string { return path.Join(path.Dir(name), ".part-"+path.Base(name)) }

func (w *writer) file(name string, b []byte, exists bool) {
	if w.err != nil || !exists {
		return
	}
	w.kept[name] = true
	tmp := part(name)
	if err := w.root.Remove(tmp); err != nil && !errors.Is(err, fs.ErrNotExist) {
		w.err = err
		return
	}
	if err := w.write(tmp, b); err != nil {
		w.err = fmt.Errorf("evidence: %s was not saved: %w", name, err)
		return
	}
	w.err = w.root.Rename(tmp, name)
}

func (w *writer) write(name string, b []byte) error {
	f, err := w.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return cmp.Or(err, f.Close())
}

// sweep removes what an earlier Save, or one that was killed, has left.
func (w *writer) sweep(dir string) {
	if w.err != nil {
		return
	}
	list, err := fs.ReadDir(w.root.FS(), dir)
	for _, e := range list {
		name := path.Join(dir, e.Name())
		if ours(name) && !w.kept[name] && e.Type().IsRegular() {
			err = cmp.Or(err, w.root.Remove(name))
		}
	}
	w.err = cmp.Or(w.err, err)
}

// ours reports whether name is one that Save writes: nothing else in the
// folder is touched.
func ours(name string) bool {
	name = path.Join(path.Dir(name), strings.TrimPrefix(path.Base(name), ".part-"))
	switch name {
	case TranscriptFile, AuditFile, HeadFile, EffectsFile, ShownFile, HooksFile, TraceFile, LivesFile, ExchangesFile:
		return true
	}
	base, ok := strings.CutPrefix(name, WireDir+"/")
	n, side, cut := strings.Cut(base, "-")
	return ok && cut && strings.Trim(n, "0123456789") == "" && n != "" &&
		(strings.HasSuffix(side, ".request") || strings.HasSuffix(side, ".reply"))
}

func lines[T any](list []T) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range list {
		if err := enc.Encode(&list[i]); err != nil {
			panic("evidence: " + err.Error()) // strings, numbers and times: they can be written
		}
	}
	return b.Bytes()
}

func text(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		panic("evidence: " + err.Error())
	}
	return b.Bytes()
}

// Read reads a folder that Save wrote. The folder may also be a bare session
// (a transcript and an audit ledger and nothing else): kinds whose file is not
// there are Missing. Anything unreadable is an error that names file and line,
// except in the three files that belong to the loop and the tools: those are
// what is judged, and Load takes them as they are.
func Read(dir string) (*Evidence, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	r := reader{root: root}
	ev := &Evidence{}

	var more rest
	if b, ok := r.file(LivesFile); ok {
		r.json(LivesFile, 0, b, &more)
		ev.Lives, ev.Runs, ev.Limits, ev.Tools = more.Lives, more.Runs, more.Limits, more.Tools
		ev.Faults, ev.Unused, ev.Log, ev.Given, ev.Damaged = more.Faults, more.Unused, more.Log, more.Given, more.Damaged
		ev.Missing = more.Missing
	} else {
		r.missing(KindLives)
	}
	transcript := r.kind(KindTranscript, TranscriptFile)
	audit := r.kind(KindAudit, AuditFile)
	effects := r.kind(KindEffects, EffectsFile)
	if b, ok := r.file(HeadFile); ok {
		ev.Head = b
	}
	ev.Shown = readLines[Shown](&r, ShownFile, r.kind(KindShown, ShownFile))
	ev.Hooks = readLines[Hook](&r, HooksFile, r.kind(KindHooks, HooksFile))
	ev.Trace = readLines[Step](&r, TraceFile, r.kind(KindTrace, TraceFile))
	for i, l := range readLines[exchangeLine](&r, ExchangesFile, r.kind(KindWire, ExchangesFile)) {
		e := &Exchange{
			N: l.N, Life: l.Life, Lane: l.Lane, Attempt: l.Attempt, Method: l.Method, Path: l.Path, Header: l.Header, At: l.At,
			Status: l.Status, Head: l.Head, Chunks: l.Chunks, Ending: l.Ending, Place: l.Place, Reason: l.Reason,
		}
		if l.Request != wireFile(e, "request") || l.Reply != wireFile(e, "reply") {
			r.fail("%s:%d: the files of exchange %d are named %q and %q; want %q and %q", ExchangesFile, i+1, l.N, l.Request, l.Reply, wireFile(e, "request"), wireFile(e, "reply"))
			break
		}
		e.Body, e.Reply = r.body(RequestFile(e)), r.body(ReplyFile(e))
		ev.Wire = append(ev.Wire, e)
	}
	if r.err != nil {
		return nil, r.err
	}
	for _, k := range r.gone {
		if ev.Has(k) {
			ev.Missing = append(ev.Missing, k)
		}
	}
	if !r.any {
		return nil, fmt.Errorf("evidence: %s holds no evidence; want at least %s or %s", dir, TranscriptFile, ExchangesFile)
	}
	ev.Load(transcript, audit, effects)
	return ev, nil
}

// reader reads below one folder and remembers the first error.
type reader struct {
	root *os.Root
	gone []Kind
	any  bool
	err  error
}

func (r *reader) fail(f string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("evidence: "+f, args...)
	}
}

func (r *reader) missing(k Kind) { r.gone = append(r.gone, k) }

// file returns a file's bytes, and whether it is there.
func (r *reader) file(name string) ([]byte, bool) {
	b, err := r.root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	if err != nil {
		r.fail("%s cannot be read: %w", name, err)
		return nil, false
	}
	return b, true
}

func (r *reader) kind(k Kind, name string) []byte {
	b, ok := r.file(name)
	if ok {
		r.any = true
	} else {
		r.missing(k)
	}
	return b
}

func (r *reader) body(name string) []byte {
	b, ok := r.file(name)
	if !ok {
		r.fail("%s is not there, but %s names it", name, ExchangesFile)
	}
	if len(b) == 0 {
		return nil
	}
	return b
}

func (r *reader) json(name string, line int, b []byte, v any) {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil && dec.More() {
		err = errors.New("something follows the value")
	}
	if err != nil && line == 0 {
		r.fail("%s is not what Save writes: %w", name, err)
	} else if err != nil {
		r.fail("%s:%d is not what Save writes: %w", name, line, err)
	}
}

func readLines[T any](r *reader, name string, b []byte) []T {
	var list []T
	for n, line := range slices.Collect(bytes.Lines(b)) {
		var v T
		if r.json(name, n+1, line, &v); r.err != nil {
			return nil
		}
		list = append(list, v)
	}
	return list
}
