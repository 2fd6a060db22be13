package sse

import (
	"bytes"
	"fmt"
	"io"
)

const (
	// firstBuffer holds any line of an ordinary stream, so that reading one
	// allocates nothing.
	firstBuffer = 8 << 10

	// DefaultMaxLine is the longest line accepted unless told otherwise. The
	// longest seen in a real stream is 100 KB; blocks with embedded documents
	// go far beyond.
	DefaultMaxLine = 32 << 20

	// idleReads is how often in a row a reader may return nothing and no error.
	idleReads = 100
)

// TooLongError says that a line, or the data of one event, is longer than the
// reader's maximum.
type TooLongError struct {
	Line int    // number of the line, from 1
	What string // "line" or "event"
	Max  int
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("sse: line %d: the %s is longer than %d bytes; raise the reader's maximum if this server is to be trusted with more", e.Line, e.What, e.Max)
}

// Lines splits bytes into lines that end in LF, CR or CRLF, in any mixture. A
// line is delivered as soon as its first end byte is read: a CR does not wait
// for the LF that may follow, or a stream that ends its lines in CR would lag
// one line behind (a2aproject/a2a-js#714).
type Lines struct {
	r   io.Reader
	max int

	buf        []byte // buf[start:end] is read and not delivered
	start, end int
	lf, cr     int   // the first LF and CR at or after start, or end: none in what is read
	skipLF     bool  // the last line ended in CR: an LF at start belongs to it
	n          int   // lines delivered
	later      error // came with the last bytes, due when they are used up
	err        error // returned from now on
}

// NewLines returns a splitter of r. A line longer than max bytes is an error;
// 0 means DefaultMaxLine.
func NewLines(r io.Reader, max int) *Lines {
	if max <= 0 {
		max = DefaultMaxLine
	}
	return &Lines{r: r, max: max, buf: make([]byte, firstBuffer)}
}

// Reset begins anew with r, and keeps the buffer and the maximum.
func (l *Lines) Reset(r io.Reader) { *l = Lines{r: r, max: l.max, buf: l.buf} }

// Next returns the next line without its end; it is valid until the next call.
// Where the bytes end, err is io.EOF and line is what followed the last line
// end, if anything. Other errors come without a line. After an error Next
// returns no more lines and the same error.
func (l *Lines) Next() (line []byte, err error) {
	if l.err != nil {
		return nil, l.err
	}
	for {
		l.finishCRLF()
		// Each end byte is looked for once: only when the known one is behind.
		if l.lf < l.start {
			l.lf = l.find('\n', l.start)
		}
		if l.cr < l.start {
			l.cr = l.find('\r', l.start)
		}
		if at := min(l.lf, l.cr); at < l.end {
			line = l.buf[l.start:at]
			l.n++
			if len(line) > l.max {
				return nil, l.fail(&TooLongError{Line: l.n, What: "line", Max: l.max})
			}
			l.skipLF = at == l.cr
			l.start = at + 1
			return line, nil
		}
		if l.end-l.start > l.max {
			return nil, l.fail(&TooLongError{Line: l.n + 1, What: "line", Max: l.max})
		}
		if err := l.fill(); err != nil {
			rest := l.buf[l.start:l.end]
			l.start = l.end
			if err != io.EOF || len(rest) == 0 {
				return nil, l.fail(err)
			}
			l.n++
			return rest, l.fail(err)
		}
	}
}

// blank consumes an empty line if the whole of it is read already, and reports
// whether it did. What Next returned last stays valid.
func (l *Lines) blank() bool {
	l.finishCRLF()
	if l.start == l.end || l.buf[l.start] != '\n' && l.buf[l.start] != '\r' {
		return false
	}
	l.skipLF = l.buf[l.start] == '\r'
	l.start++
	l.n++
	return true
}

func (l *Lines) finishCRLF() {
	if l.skipLF && l.start < l.end {
		if l.buf[l.start] == '\n' {
			l.start++
		}
		l.skipLF = false
	}
}

// Number returns the number of the line that Next returned last, from 1.
func (l *Lines) Number() int { return l.n }

func (l *Lines) fail(err error) error {
	l.err = err
	return err
}

// find returns the first c at or after from, or l.end.
func (l *Lines) find(c byte, from int) int {
	if i := bytes.IndexByte(l.buf[from:l.end], c); i >= 0 {
		return from + i
	}
	return l.end
}

// fill reads once more behind l.end, when no line end is in what is there, and
// looks for one in the new bytes only: a long line that arrives in small pieces
// costs what it weighs.
func (l *Lines) fill() error {
	if l.start > 0 && (l.start == l.end || l.end == len(l.buf)) {
		copy(l.buf, l.buf[l.start:l.end])
		l.end, l.start = l.end-l.start, 0
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	if l.later != nil {
		return l.later
	}
	for range idleReads {
		n, err := l.r.Read(l.buf[l.end:])
		if n > 0 {
			l.later = err
			from := l.end
			l.end += n
			if n == 1 { // a slow sender, or a test
				l.lf, l.cr = l.end, l.end
				switch l.buf[from] {
				case '\n':
					l.lf = from
				case '\r':
					l.cr = from
				}
				return nil
			}
			l.lf, l.cr = l.find('\n', from), l.find('\r', from)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
