package env_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/harnessbench/bench/harness/env"
)

// Wait for another task, but no longer than its timer runs.
func Example() {
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	e, err := env.Real(filepath.Join(dir, "s1"))
	if err != nil {
		panic(err)
	}
	errIdle := errors.New("nothing came for 30 s")
	ctx, timer := e.Clock.WithTimer(context.Background(), errIdle)
	defer timer.Stop()
	timer.Reset(30 * time.Second)

	result := e.Clock.Note()
	e.Clock.Go("tool", func() {
		f, err := e.FS.Append("notes.txt")
		if err == nil {
			fmt.Fprintln(f, "hello")
			err = errors.Join(f.Sync(), f.Close())
		}
		fmt.Println("written:", err == nil)
		result.Set()
	})
	fmt.Println(result.Wait(ctx, "the tool's result"))
	// Output:
	// written: true
	// <nil>
}

func ExampleNotRegular() {
	err := env.NotRegular("append", "notes.txt", os.ModeNamedPipe)
	fmt.Println(err)
	fmt.Println(errors.Is(err, env.ErrNotRegular))
	// Output:
	// append notes.txt: it is a named pipe; a regular file belongs there
	// true
}
