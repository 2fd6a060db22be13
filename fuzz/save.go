package fuzz

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/harnessbench/bench/scenarios"
)

// write writes a failure into Out and runs it from there, as bench run would.
func (r *run) write(f *Found) error {
	if err := os.MkdirAll(r.Out, 0o755); err != nil {
		return err
	}
	name, text := "", titled(*f, r.Seed)
	for n := 1; ; n++ {
		name = strings.Trim(strings.NewReplacer("/", "-", "(", "", ")", "", " ", "-").Replace(f.Rule), "-")
		if n > 1 {
			name += fmt.Sprintf("-%d", n)
		}
		f.File = filepath.Join(r.Out, name+".txtar")
		old, err := os.ReadFile(f.File)
		if err == nil && string(old) != text {
			continue // that of another run
		}
		break
	}
	if err := os.WriteFile(f.File, []byte(text), 0o644); err != nil {
		return err
	}
	f.Again = r.Again(f.File, f.Shrunk.Seed, 0)
	var why string
	for _, repeat := range []int{0, 2} {
		red, err := runFile(r.ctx, f.File, f.Shrunk.Seed, repeat, r)
		if err != nil {
			return err
		}
		if _, ok := of(red, f.Rule); ok {
			if repeat > 0 { // only a second run can show it, and the file's new name does not choose one
				f.Again = r.Again(f.File, f.Shrunk.Seed, repeat)
			}
			return nil
		}
		if why = "it passes"; len(red) > 0 {
			why = "it breaks " + red[0].rule
		}
	}
	f.Differs = fmt.Sprintf("run from its file, %s and not %s; as it was drawn, it is scenario %d of -seed %d", why, f.Rule, f.Number, r.Seed)
	return nil
}

// again is the command that runs a file.
func again(file string, seed uint64, repeat int) string {
	cmd := "bench run"
	if repeat > 1 {
		cmd += fmt.Sprintf(" -repeat %d", repeat)
	}
	if seed != 0 {
		cmd += fmt.Sprintf(" -seed %d", seed)
	}
	return cmd + " " + file
}

// titled is a scenario's text under a header that says what is wrong with it.
func titled(f Found, seed uint64) string {
	return fmt.Sprintf("# Found by the fuzzer: it breaks %s.\n# From: bench fuzz -seed %d, scenario %d; fails with -seed %d.\n%s",
		f.Rule, seed, f.Number, f.Shrunk.Seed, strings.TrimPrefix(f.Shrunk.Text, header))
}

var scheduleRE = regexp.MustCompile(`(?m)^# From: .*fails with -seed (\d+)\.$`)

// scheduleOf is the seed with which a file that was written failed.
func scheduleOf(text string) uint64 {
	m := scheduleRE.FindStringSubmatch(text)
	if m == nil {
		return 0
	}
	seed, _ := strconv.ParseUint(m[1], 10, 64)
	return seed
}

// past runs the files that failed once.
func (r *run) past() error {
	for _, file := range r.Past {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		seed := scheduleOf(string(text))
		red, err := runFile(r.ctx, file, seed, 2, r)
		if err != nil {
			return err
		}
		r.sum.Past++
		for _, f := range red {
			if f.rule == Unexpected && !strings.Contains(string(text), "breaks "+Unexpected) {
				continue // the loop was repaired, and goes on where the script ends
			}
			r.add(Found{Rule: f.rule, What: f.what, Past: file, File: file, Shrunk: Drawn{string(text), seed}, Lines: lines(string(text)),
				Again: r.Again(file, seed, 2)})
			break // one cause
		}
		if r.done() {
			break
		}
	}
	return nil
}

// runFile runs a file as bench run would and returns what it is red for.
func runFile(ctx context.Context, file string, seed uint64, repeat int, r *run) ([]failure, error) {
	var all []failure
	_, err := scenarios.Run(ctx, scenarios.Options{
		Files: []string{file}, Seed: seed, J: 1, Seam: r.Seam, Repeat: repeat, NoKeep: true, MostRequests: mostRequests,
		Report: func(res scenarios.Result) { all = append(all, failures(res)...) },
	})
	return unique(all), err
}
