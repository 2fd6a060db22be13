package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// live prints text, and on a terminal a last line below it that says how far
// things have come.
type live struct {
	out    io.Writer
	screen io.Writer // nil: no such line

	mu   sync.Mutex
	last string
	at   time.Time
}

// status replaces the last line, a few times a second; "" takes it away.
func (l *live) status(line string) {
	if l.screen == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if line != "" && time.Since(l.at) < 100*time.Millisecond {
		return
	}
	l.last, l.at = line, time.Now()
	fmt.Fprintf(l.screen, "\r\x1b[K%s", line)
}

// print prints text above the last line.
func (l *live) print(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.screen != nil && l.last != "" {
		fmt.Fprint(l.screen, "\r\x1b[K")
	}
	io.WriteString(l.out, text)
	if l.screen != nil {
		fmt.Fprint(l.screen, l.last)
	}
}
