package journal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"iter"
)

// maxLine bounds one line of a ledger. Commit refuses a record whose line is
// longer, so every line that was written can be read.
const maxLine = 256 << 20

// lines reads a ledger line by line and knows where it is.
type lines struct {
	file string
	all  []byte        // the whole rest of it, when it is in memory
	r    *bufio.Reader // otherwise
	long []byte        // room for lines longer than the reader's
	n    int           // number of the line last read, from 1
	off  int64         // where it starts
	next int64         // where the line after it starts
}

// newLines reads from r; size, when it is known, is how much there is.
func newLines(file string, r io.Reader, size int64) *lines {
	const room = 32 << 10
	if size <= 0 || size > room {
		size = room
	}
	return &lines{file: file, r: bufio.NewReaderSize(r, int(size))}
}

func linesOf(file string, all []byte) *lines { return &lines{file: file, all: all} }

// read returns the next line with its newline; it is valid until the next read.
// At the end of the file err is io.EOF and line is what stands behind the last
// newline: no record, even if it reads like one (mechanism H7).
func (l *lines) read() (line []byte, err error) {
	l.n++
	l.off = l.next
	if l.r == nil {
		end := bytes.IndexByte(l.all, '\n') + 1
		if end == 0 {
			end, err = len(l.all), io.EOF
		}
		line, l.all = l.all[:end], l.all[end:]
		l.next += int64(end)
		return line, err
	}
	line, err = l.r.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], line...)
		for err == bufio.ErrBufferFull {
			if len(l.long) > maxLine {
				return nil, &CorruptError{l.file, l.n, fmt.Sprintf("longer than %d bytes", maxLine), "one record a line"}
			}
			line, err = l.r.ReadSlice('\n')
			l.long = append(l.long, line...)
		}
		line = l.long
	}
	l.next += int64(len(line))
	if err != nil && err != io.EOF {
		return nil, inFile(l.file, err)
	}
	return line, err
}

// body is a line without its newline.
func body(line []byte) []byte { return line[:len(line)-1] }

// hasNUL reports whether a line holds a NUL byte. None is ever written (they are
// escaped), but a file system fills with them what a power cut took.
func hasNUL(line []byte) bool { return bytes.IndexByte(line, 0) >= 0 }

// Records reads a transcript and yields its records in order, checking each
// line, the sequence, the session's id and the runs. What stands behind the
// last newline is not a record and is left out silently. The first error ends
// it; it is a *CorruptError, or the reader's own. The audit ledger is not
// consulted: Verify does that.
func Records(transcript io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		l := newLines(TranscriptFile, transcript, 0)
		var d decoder
		var c chain
		for {
			line, err := l.read()
			if err == io.EOF {
				return
			}
			var r Record
			if err == nil {
				if d.record(string(body(line)), &r) {
					err = c.follow(l, r.envelope())
				} else {
					err = locate(explain(body(line), d.at, new(Record)), l)
				}
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
			if !yield(r, nil) {
				return
			}
		}
	}
}

// Entries reads an audit ledger and yields its entries in order, checking each
// line, the sequence and the chain of hashes. It ends as Records does.
func Entries(audit io.Reader) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		l := newLines(AuditFile, audit, 0)
		var d decoder
		c := newSeals()
		for {
			line, err := l.read()
			if err == io.EOF {
				return
			}
			var e Entry
			if err == nil {
				if _, err = c.follow(l, line); err == nil && !d.entry(string(body(line)), &e) {
					err = locate(explain(body(line), d.at, new(Entry)), l)
				}
			}
			if err != nil {
				yield(Entry{}, err)
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

// locate says where the line last read stands, in an error made without it.
func locate(err error, l *lines) error {
	if c, ok := err.(*CorruptError); ok && c.File == "" {
		c.File, c.Line = l.file, l.n
	}
	return err
}
