// Package sample holds everything that package harness and below must not use.
// A line that TestForbiddenSample expects to be found ends in what to use instead.
package sample

import (
	ctxt "context"
	crand "crypto/rand" // want: env.IDs
	"math/rand/v2"
	"os/signal" // want: a context handed in by the command
	"sync"
	"time"

	. "context" // want: the package by its name

	"golang.org/x/sync/errgroup" // want: Clock.Go
)

type box struct {
	c    chan int       // want: Note
	in   <-chan int     // want: Note
	wg   sync.WaitGroup // want: Note
	cond *sync.Cond     // want: Note
	mu   sync.Mutex
}

func concurrency(b *box) {
	go concurrency(b) // want: Clock.Go
	select {          // want: Note.Wait
	case <-b.c: // want: Note
	}
	b.c <- 1                      // want: Note
	x := <-b.in                   // want: Note
	b.c = make(chan int)          // want: Note
	_, _ = x, sync.NewCond(&b.mu) // want: Note
	_ = errgroup.Group{}          // the import is the finding
	b.mu.Lock()                   // allowed: held for a few statements, never over a wait
	signal.Notify(nil)            // the import is the finding
	_, _ = crand.Reader, rand.New(nil)
	_ = rand.New(rand.NewPCG(1, 2)) // allowed: seeded
	_ = rand.IntN(6)                // want: Env.Seed
}

func clocks(ctx ctxt.Context) {
	time.Sleep(time.Second)                       // want: Clock.Sleep
	time.After(time.Second)                       // want: Clock.Sleep
	time.AfterFunc(time.Second, nil)              // want: Clock.WithTimer
	time.NewTimer(1)                              // want: Clock.WithTimer
	time.NewTicker(1)                             // want: Clock.Sleep
	time.Tick(1)                                  // want: Clock.Sleep
	_ = time.Now()                                // want: Clock.Now
	_ = time.Since(time.Time{})                   // want: Clock.Now
	_ = time.Until(time.Time{})                   // want: Clock.Now
	ctxt.WithCancel(ctx)                          // want: Clock.WithCancel
	ctxt.WithCancelCause(ctx)                     // want: Clock.WithCancel
	ctxt.WithTimeout(ctx, 1)                      // want: Clock.WithTimer
	ctxt.WithTimeoutCause(ctx, 1, nil)            // want: Clock.WithTimer
	ctxt.WithDeadline(ctx, time.Time{})           // want: Clock.WithTimer
	ctxt.WithDeadlineCause(ctx, time.Time{}, nil) // want: Clock.WithTimer
	ctxt.AfterFunc(ctx, nil)                      // want: Note.Wait
	f := time.Sleep                               // want: Clock.Sleep
	f(1)
	_ = ctxt.WithValue(ctx, 1, 2) // allowed
	_ = ctxt.Cause(ctx)           // allowed
	_ = time.Duration(1)          // allowed
}

func shadowed(time interface{ Sleep(int) }) {
	time.Sleep(1) // allowed: not the package
}
