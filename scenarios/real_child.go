package scenarios

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/harnessbench/bench/evidence"
)

// lifeLine is one line of what a child sends.
type lifeLine struct {
	Hello bool                 `json:"hello,omitempty"`
	Shown *evidence.Shown      `json:"shown,omitempty"`
	Hook  *evidence.Hook       `json:"hook,omitempty"`
	Step  *evidence.Step       `json:"step,omitempty"`
	Wire  []*evidence.Exchange `json:"wire,omitempty"`
}

func readLife(r io.Reader) (got record, hello bool, err error) {
	d := json.NewDecoder(bufio.NewReader(r))
	for {
		var l lifeLine
		if err := d.Decode(&l); err != nil {
			if err == io.EOF {
				return got, hello, nil
			}
			return got, hello, fmt.Errorf("what the child process sent ends in the middle: %w", err)
		}
		switch {
		case l.Hello:
			hello = true
		case l.Shown != nil:
			got.Shown = append(got.Shown, *l.Shown)
		case l.Hook != nil:
			got.Hooks = append(got.Hooks, *l.Hook)
		case l.Step != nil:
			got.Steps = append(got.Steps, *l.Step)
		case l.Wire != nil:
			got.Wire = l.Wire
		}
	}
}

// LifeMain is the main of a child process that is killed for real. A program
// that runs scenarios calls it first thing, in main or in TestMain; in any other
// process it returns at once.
func LifeMain() {
	if os.Getenv(lifeEnv) == "" {
		return
	}
	if err := liveOnce(os.Stdin, os.NewFile(3, "life")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// liveOnce obeys the operations of a spec, the last life of them for real. What
// it shows leaves the process at once; the steps of the trace leave with it.
func liveOnce(in io.Reader, out io.Writer) error {
	var lines []byte
	note := func(l lifeLine) {
		b, err := json.Marshal(l)
		if err != nil {
			panic(err)
		}
		lines = append(append(lines, b...), '\n')
	}
	send := func(l lifeLine) {
		note(l)
		if _, err := out.Write(lines); err != nil {
			panic(err)
		}
		lines = lines[:0]
	}
	send(lifeLine{Hello: true})
	var sp spec
	if err := json.NewDecoder(in).Decode(&sp); err != nil {
		return fmt.Errorf("what to live cannot be read: %w", err)
	}
	src, err := readSource(sp.File)
	if err != nil {
		return err
	}
	if sumOf(src.data) != sp.Sum {
		return fmt.Errorf("%s has changed since the run began", sp.File)
	}
	sc, err := checkOnly(src, sp.Variant)
	if err != nil {
		return err
	}
	e := newEngine(sc, sp.Variant, sp.Seed)
	e.alone = &alone{
		life: sp.Life, dir: sp.Dir,
		shown: func(sh evidence.Shown) { send(lifeLine{Shown: &sh}) },
		hook:  func(h evidence.Hook) { send(lifeLine{Hook: &h}) },
		step:  func(st evidence.Step) { note(lifeLine{Step: &st}) },
		die: func(l *life) {
			send(lifeLine{Wire: wireOf(l.s, l.n)})
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		},
	}
	for _, o := range sp.Ops {
		if _, err := e.obey(o); err != nil {
			return err
		}
	}
	e.finish()
	return nil
}
