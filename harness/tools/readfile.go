package tools

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/harnessbench/bench/internal/cut"
)

const (
	defaultLines = 2000
	maxLine      = 2000 // bytes shown of one line
	sniffed      = 8000 // bytes in which a NUL makes a file binary
)

func (w *Workspace) readFile() Tool {
	return Tool{
		Name: "read_file",
		Description: "Reads a text file of the workspace. Lines come numbered: number, tab, text. " +
			"Reads 2000 lines unless limit says otherwise; use offset (the first line, from 1) to go on in a long file.",
		Schema: `{"type":"object","properties":{
			"path":{"type":"string","description":"the file, relative to the workspace"},
			"offset":{"type":"integer","minimum":1,"description":"first line to read, from 1"},
			"limit":{"type":"integer","minimum":1,"description":"number of lines to read"}},
			"required":["path"],"additionalProperties":false}`,
		ReadOnly:   true,
		Idempotent: true,
		Run:        w.runRead,
	}
}

func (w *Workspace) runRead(ctx context.Context, c Call) (_ Output, failed error) {
	in, err := decode[struct {
		Path          string
		Offset, Limit whole
	}](c)
	if err != nil {
		return Output{}, err
	}
	name, err := w.local(in.Path)
	if err != nil {
		return Output{}, err
	}
	f, info, err := w.open(name)
	if err != nil {
		return Output{}, err
	}
	defer f.Close()
	sum := sha256.New()
	r := bufio.NewReaderSize(io.TeeReader(f, sum), 64<<10)
	if info.Size() <= maxEdited {
		defer func() {
			// What was not asked for counts, too: the file is one version.
			if _, err := io.Copy(io.Discard, io.LimitReader(r, maxEdited)); err == nil && failed == nil {
				w.seen.read(name, [sha256.Size]byte(sum.Sum(nil)))
			}
		}()
	}
	if begin, err := r.Peek(sniffed); bytes.IndexByte(begin, 0) >= 0 {
		return Output{}, failf(CodeBinary, "%s is a binary file (%s). Use bash to look at it, e.g. with file or xxd.", show(name), count(int(info.Size()), "byte"))
	} else if err != nil && !errors.Is(err, io.EOF) {
		return Output{}, w.explain(err, name)
	}
	first, lines := max(int(in.Offset), 1), int(in.Limit)
	if lines == 0 {
		lines = defaultLines
	}
	room := room(c)
	var b strings.Builder
	n := 0 // the number of the last line read
	for {
		text, left, err := readLine(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return Output{Text: b.String()}, w.explain(err, name)
		}
		n++
		if n < first {
			if n%4096 == 0 && ctx.Err() != nil {
				return Output{}, ctx.Err()
			}
			continue
		}
		next := fmt.Sprintf("%6d\t%s\n", n, text)
		if left > 0 {
			next = fmt.Sprintf("%6d\t%s [... %s left out ...]\n", n, text, count(left, "byte"))
		}
		// A note that names the next offset beats a middle that Execute cuts out.
		if n >= first+lines || b.Len() > 0 && b.Len()+len(next) > room {
			fmt.Fprintf(&b, "(the file goes on: continue with offset %d)\n", n)
			break
		}
		b.WriteString(next)
		if ctx.Err() != nil {
			return Output{Text: b.String()}, ctx.Err()
		}
	}
	switch {
	case b.Len() > 0:
		return Output{Text: b.String()}, nil
	case n == 0:
		return Output{Text: "(the file is empty)"}, nil
	}
	return Output{}, failf(CodeInvalid, "%s has only %s, so there is nothing at offset %d. Use a smaller offset.", show(name), count(n, "line"), first)
}

// readLine reads one line, without its end, of any length, in bounded memory:
// it returns at most maxLine bytes of it and how many it left out. io.EOF
// means that there is no further line.
func readLine(r *bufio.Reader) (text string, left int, err error) {
	var b []byte
	size, ended := 0, false
	for !ended {
		p, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			if err != io.EOF || size+len(p) == 0 {
				return "", 0, err
			}
			ended = true
		}
		if n := len(p); n > 0 && p[n-1] == '\n' {
			p, ended = p[:n-1], true
		}
		size += len(p)
		if room := maxLine + 4 - len(b); room > 0 {
			b = append(b, p[:min(room, len(p))]...)
		}
	}
	if size > 0 && size == len(b) && b[size-1] == '\r' {
		b, size = b[:size-1], size-1
	}
	if len(b) <= maxLine && size == len(b) {
		return string(b), 0, nil
	}
	text = cut.Head(string(b), maxLine)
	return text, size - len(text), nil
}
