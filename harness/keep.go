package harness

import (
	"encoding/json"
	"fmt"

	"github.com/harnessbench/bench/harness/compact"
	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/harness/tools"
	"github.com/harnessbench/bench/providers"
)

// keptMost is how much of one output is kept in a file; what a tool prints
// beyond it is cut head and tail.
const keptMost = 4_000_000

// toolOptions bound one execution. With files to keep outputs in, a tool may
// return far more than the model is shown.
func (l *loop) toolOptions() tools.Options {
	o := tools.Options{Limit: l.limits.ResultBytes, Grace: l.limits.Grace, Timeout: l.limits.ToolTimeout}
	if !l.cfg.NoSpill {
		o.Limit = max(keptMost, o.Limit)
	}
	return o
}

// keep puts an output that is too large for the model into a file, named by our
// id of the call, and leaves a preview (F). A file that cannot be written is no
// failure of the tool, whose effect has happened: the output is cut instead.
func (l *loop) keep(rec *journal.Record) *journal.Record {
	if l.cfg.NoSpill || len(rec.Text) <= l.limits.ResultBytes {
		return nil
	}
	whole := rec.Text
	var kept tools.Kept
	err := l.env.Probe.Hit(env.Site{Point: env.KeepBefore, Call: rec.Call, ID: rec.ID})
	if err == nil {
		kept, err = tools.Keep(l.env.FS, rec.Call, whole)
	}
	if err != nil {
		cut := 0
		rec.Text, cut = tools.Shorten(whole, l.limits.ResultBytes)
		rec.Cut += cut
		return &journal.Record{Kind: journal.KindNotice, Call: rec.Call, Code: "output_not_kept", Text: "the whole output could not be kept in a file, and was cut: " + err.Error()}
	}
	l.probe(env.Site{Point: env.KeepWritten, Call: rec.Call, ID: rec.ID})
	rec.File, rec.Bytes, rec.Digest = kept.File, kept.Bytes, kept.Digest
	rec.Text = compact.PreviewOf(whole, l.limits.Preview, rec.Call, len(whole))
	rec.Cut += len(whole) - min(l.limits.Preview, len(whole))
	return nil
}

// resultText is the whole of a result, for read_result: from its file, or from
// the history, which keeps what edits of the context shorten.
func (l *loop) resultText(call string) (string, error) {
	h := l.s.history
	for i := h.Len() - 1; i >= 0; i-- {
		e := h.At(i)
		if e.Kind != EntryResult || e.Call != call {
			continue
		}
		if e.File == "" {
			return e.Text, nil
		}
		return tools.ReadKept(l.env.FS, tools.Kept{File: e.File, Bytes: e.Bytes, Digest: e.Digest})
	}
	return "", fmt.Errorf("there is no result of a call %q", call)
}

// dumpDir holds the exact messages of requests, where Config.Dump asks for them.
const dumpDir = "dump"

// dump writes the messages of a main request to a file of the attempt (O3). A
// dump that cannot be written is noted, and stops nothing.
func (l *loop) dump(req *providers.Request) error {
	if !l.cfg.Dump || req.Lane != providers.LaneMain {
		return nil
	}
	err := func() error {
		b, err := json.MarshalIndent(req.Messages, "", "  ")
		if err != nil {
			return err
		}
		if err := l.env.FS.MkdirAll(dumpDir); err != nil {
			return err
		}
		f, err := l.env.FS.Create(dumpDir + "/" + req.Attempt + ".json")
		if err != nil {
			return err
		}
		_, err = f.Write(append(b, '\n'))
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		return err
	}()
	if err == nil {
		return nil
	}
	return l.commit("the dump failed", &journal.Record{
		Kind: journal.KindNotice, Attempt: req.Attempt, Code: "dump_failed", Text: "the messages of this request could not be dumped: " + err.Error(),
	})
}
