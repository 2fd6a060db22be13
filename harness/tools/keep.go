package tools

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/internal/cut"
)

// Kept says where a result that is too long for the conversation lies, whole.
// It is what a record of the result carries.
type Kept struct {
	File   string // below the session's folder
	Bytes  int
	Digest string // sha256 of the content, in hex
}

const keepDir = "results"

var (
	legalCall = regexp.MustCompile(`^c[0-9]+$`)
	legalKept = regexp.MustCompile(`^results/c[0-9]+\.txt$`)
)

// Keep writes a result to results/<call>.txt, durably and whole or not at all:
// it is there under its name only once it is synced. The name is made of our
// own call id, never of the provider's (two calls with one id would share a
// file, and an id can be a path, C8). A file that is there already is never
// replaced: with the same content it is the result, with another it is refused.
//
// An error means that the text could not be kept, and says nothing about the
// call: what the tool did, it did.
func Keep(fsys env.FS, call, text string) (Kept, error) {
	if !legalCall.MatchString(call) {
		return Kept{}, fmt.Errorf("the result of call %q cannot be kept: the id must be one of ours, c and a number", line(call, 40))
	}
	sum := sha256.Sum256([]byte(text))
	k := Kept{keepDir + "/" + call + ".txt", len(text), hex.EncodeToString(sum[:])}
	if err := keepFolder(fsys); err != nil {
		return Kept{}, fmt.Errorf("the result of %s cannot be kept: %w", call, err)
	}
	switch _, err := fsys.Lstat(k.File); {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := env.Replace(fsys, keepDir, k.File, k.File+".tmp", []byte(text)); err != nil {
			return Kept{}, fmt.Errorf("the result of %s cannot be kept: %w", call, err)
		}
		return k, nil
	case err != nil:
		return Kept{}, fmt.Errorf("the result of %s cannot be kept: %w", call, err)
	}
	if _, err := ReadKept(fsys, k); err != nil {
		return Kept{}, fmt.Errorf("the result of %s cannot be kept: %s is there already and holds something else (%w)", call, k.File, err)
	}
	// Its writer may have died between the renaming and the sync of the folder.
	if err := fsys.SyncDir(keepDir); err != nil {
		return Kept{}, fmt.Errorf("the result of %s cannot be kept: %w", call, err)
	}
	return k, nil
}

// keepFolder makes the folder, durably, and refuses anything else in its place:
// a link there would lead every result elsewhere. One that is there is synced,
// too: its maker may have died before it could.
func keepFolder(fsys env.FS) error {
	switch info, err := fsys.Lstat(keepDir); {
	case errors.Is(err, fs.ErrNotExist):
		if err := fsys.MkdirAll(keepDir); err != nil {
			return err
		}
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder", keepDir)
	}
	return fsys.SyncDir(".")
}

// ReadKept returns a kept result, if it is exactly what was kept: a file that
// was changed, is a link, or lies elsewhere is refused.
func ReadKept(fsys env.FS, k Kept) (string, error) {
	if !legalKept.MatchString(k.File) {
		return "", fmt.Errorf("%q is not the name of a kept result: it must be results/<call>.txt", line(k.File, 80))
	}
	if info, err := fsys.Lstat(keepDir); err != nil {
		return "", err
	} else if !info.IsDir() {
		return "", fmt.Errorf("%s is not a folder", keepDir)
	}
	f, err := fsys.Open(k.File) // follows no link
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(k.Bytes)+1))
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	if len(data) != k.Bytes || hex.EncodeToString(sum[:]) != k.Digest {
		return "", fmt.Errorf("%s was changed since it was written: its content is not the one that was recorded", k.File)
	}
	return string(data), nil
}

// maxReadResult is how much of a kept result one read_result returns.
const maxReadResult = 20_000

// ReadResult is a tool that reads results that were too long for the
// conversation, piece by piece. source returns the whole text of a call's
// result, by our call id.
func ReadResult(source func(call string) (string, error)) Tool {
	return Tool{
		Name: "read_result",
		Description: "Reads a result that was too long to be shown whole. " +
			"call is the id that the preview names; offset is the first byte, from 0. Reads at most 20000 bytes.",
		Schema: `{"type":"object","properties":{
			"call":{"type":"string","pattern":"^c[0-9]+$","description":"the id that the preview names, e.g. c12"},
			"offset":{"type":"integer","minimum":0,"description":"first byte to read, from 0"},
			"limit":{"type":"integer","minimum":1,"maximum":20000,"description":"number of bytes to read"}},
			"required":["call"],"additionalProperties":false}`,
		Deferred:   true,
		ReadOnly:   true,
		Idempotent: true,
		Run: func(_ context.Context, c Call) (Output, error) {
			in, err := decode[struct {
				Call          string
				Offset, Limit whole
			}](c)
			if err != nil {
				return Output{}, err
			}
			text, err := source(in.Call)
			var coded *Error
			switch {
			case errors.As(err, &coded):
				return Output{}, err
			case err != nil:
				return Output{}, failf(CodeExecution, "The result of %s cannot be read: %s. Make the call again if you need it.", in.Call, line(err.Error(), 200))
			}
			limit := min(maxReadResult, room(c))
			if in.Limit > 0 {
				limit = min(limit, int(in.Limit))
			}
			return piece(in.Call, text, int(in.Offset), limit)
		},
	}
}

// piece returns at most limit bytes of a text from an offset on, but at least a
// rune, cut between runes, with a note that says where it is and how to go on.
func piece(call, text string, from, limit int) (Output, error) {
	if from > 0 && from >= len(text) {
		return Output{}, failf(CodeInvalid, "The result of %s has %s, so there is nothing at offset %d. Use a smaller offset.", call, count(len(text), "byte"), from)
	}
	from = len(cut.Head(text, from))
	part := cut.Head(text[from:], limit)
	if part == "" && from < len(text) { // the first rune alone is longer
		_, n := utf8.DecodeRuneInString(text[from:])
		part = text[from : from+n]
	}
	to := from + len(part)
	var b strings.Builder
	b.WriteString(part)
	if part != "" && !strings.HasSuffix(part, "\n") {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "(bytes %d to %d of %d of the result of %s", from, to, len(text), call)
	if to < len(text) {
		fmt.Fprintf(&b, ": continue with offset %d)", to)
	} else {
		b.WriteString(": this is its end)")
	}
	return Output{Text: b.String()}, nil
}
