package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
)

// flags parses flags and arguments in any order. about is what -h prints on out
// before the flags; a mistake is one sentence.
func flags(fs *flag.FlagSet, about string, args []string, out io.Writer) ([]string, error) {
	fs.SetOutput(io.Discard) // it would print everything for one typo
	fs.Usage = func() {}
	var rest []string
	for {
		switch err := fs.Parse(args); {
		case errors.Is(err, flag.ErrHelp):
			fmt.Fprintln(out, about)
			fs.SetOutput(out)
			fs.PrintDefaults()
			return nil, err
		case err != nil:
			return nil, fmt.Errorf("%w; %s -h prints the flags", err, fs.Name())
		case fs.NArg() == 0:
			return rest, nil
		}
		// What stands behind "--" are arguments, whatever they look like.
		if n := len(args) - fs.NArg(); n > 0 && args[n-1] == "--" {
			return append(rest, fs.Args()...), nil
		}
		rest = append(rest, fs.Arg(0))
		args = fs.Args()[1:]
	}
}
