package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/harnessbench/bench/providers/protocol"
	"github.com/harnessbench/bench/scenarios"
)

const aboutRun = `usage: bench run [flags] FILES...

Runs scenarios and judges what they leave behind. Flags:`

func run(ctx context.Context, args []string, out, errs io.Writer) (err error) {
	fs := flag.NewFlagSet("bench run", flag.ContinueOnError)
	var (
		j        = fs.Int("j", 0, "`N` variants at once (default: one for each processor)")
		pattern  = fs.String("run", "", "only variants whose name matches this `regexp`; names are FILE/CASE/VAR=VALUE/realkill")
		verbose  = fs.Bool("v", false, "print the script's log of every variant, also of those that pass")
		update   = fs.Bool("update", false, "let cmp rewrite the scenario files instead of failing")
		wires    = fs.String("protocol", "", "only variants in these wire protocols: `NAME[,NAME]...`")
		seed     = fs.Uint64("seed", 0, "the seed `S` of the schedule and of every other choice")
		shard    = fs.String("shard", "", "only part `I/N` of the variants, I from 1 to N")
		repeat   = fs.Int("repeat", 0, "run each variant `N` times; the evidence must come out the same, byte for byte (default: every eighth twice)")
		real     = fs.Bool("realkill", false, "make every kill a real SIGKILL of a child process")
		jsonFile = fs.String("json", "", "write one JSON object a line to this `file`; -: to standard output, instead of the text")
		junit    = fs.String("junit", "", "write a JUnit report to this `file`; -: to standard output, instead of the text")
		keep     = fs.String("keep", "", "keep the evidence of what does not pass in this `folder` (default: a new temporary one)")
		agentArg = fs.String("agent", "", "drive the foreign agent `SPEC` (not built yet)")
		cover    = fs.Bool("cover", false, "print behind the summary what of the loop was exercised, by how many variants, and what never")
	)
	files, err := flags(fs, aboutRun, args, out)
	switch {
	case err != nil:
		return err
	case *agentArg != "":
		return errors.New("-agent is not built yet; without it the reference loop is driven")
	case *j < 0 || *repeat < 0:
		return errors.New("-j and -repeat take no negative number")
	case *jsonFile != "" && *jsonFile == *junit:
		return fmt.Errorf("-json and -junit both write %s; give them two names", *junit)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := &watched{w: out, lost: cancel}
	o := scenarios.Options{
		Files: files, J: *j, Seed: *seed, Repeat: *repeat, RealKill: *real, Update: *update,
		Verbose: *verbose, KeepDir: *keep, Command: repeatCommand(*repeat),
	}
	if *pattern != "" {
		if o.Run, err = regexp.Compile(*pattern); err != nil {
			return fmt.Errorf("-run: %w", err)
		}
	}
	if *wires != "" {
		o.Protocols = strings.Split(*wires, ",")
		for _, name := range o.Protocols {
			if _, err := protocol.Named(name); err != nil {
				return fmt.Errorf("-protocol: %w", err)
			}
		}
	}
	if *shard != "" {
		if o.Shard, err = scenarios.ParseShard(*shard); err != nil {
			return fmt.Errorf("-shard: %w", err)
		}
	}

	var cov *coverage
	if *cover {
		cov = &coverage{part: partOf(*pattern, *wires, *shard)}
	}
	l := look{verbose: *verbose, terminal: terminal(out), colour: os.Getenv("NO_COLOR") == ""}
	if *jsonFile == "-" || *junit == "-" {
		l = look{quiet: true, terminal: terminal(errs)} // standard output is not for people
	}
	text := newText(watched, l)
	text.cover = cov
	defer text.stop()
	reports := []reporter{text}
	for _, r := range []struct {
		name string
		make func(io.Writer) reporter
	}{
		{*jsonFile, func(w io.Writer) reporter { return &jsonReport{w: w, cover: cov} }},
		{*junit, func(w io.Writer) reporter { return &junitReport{w: w, cover: cov} }},
	} {
		switch r.name {
		case "":
		case "-":
			reports = append(reports, r.make(watched))
		default:
			f, err := openReport(r.name)
			if err != nil {
				return err
			}
			defer f.drop()
			reports = append(reports, &filed{reporter: r.make(f), f: f})
		}
	}
	o.Report = func(r scenarios.Result) {
		if cov != nil {
			cov.add(r)
		}
		for _, rep := range reports {
			rep.result(r)
		}
	}
	o.Progress = text.progress
	sum, err := scenarios.Run(ctx, o)
	text.stop()
	switch {
	case err != nil && ctx.Err() != nil:
		if sum.Variants > 0 {
			if cov != nil {
				cov.part = append(cov.part, "cut short")
			}
			text.summary(sum)
		}
		return fmt.Errorf("cut short: %w; no report file was written", context.Cause(ctx))
	case err != nil:
		return err
	}
	for _, rep := range reports {
		err = errors.Join(err, rep.summary(sum))
	}
	if err != nil {
		return err
	}
	if s := sum.ExitStatus(); s != 0 {
		return exit(s)
	}
	return nil
}

// partOf names the flags by which a run is of a part of the variants.
func partOf(pattern, wires, shard string) []string {
	var part []string
	if wires != "" {
		part = append(part, "-protocol "+wires)
	}
	if pattern != "" {
		part = append(part, "-run "+pattern)
	}
	if shard != "" {
		part = append(part, "-shard "+shard)
	}
	return part
}

// watched is standard output. When it cannot be written, the run need not go on.
type watched struct {
	w    io.Writer
	lost context.CancelCauseFunc
	err  error
}

func (w *watched) Write(b []byte) (int, error) {
	if w.err != nil {
		return 0, w.err
	}
	n, err := w.w.Write(b)
	if err != nil {
		w.err = fmt.Errorf("standard output cannot be written: %w", reason(err))
		w.lost(w.err)
	}
	return n, w.err
}
