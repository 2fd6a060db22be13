package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
)

// repeatCommand is how a reader runs scenarios again: the program as it was
// started, and what else the result may depend on. scenarios adds the seed, the
// variant and the file.
func repeatCommand(repeat int) string {
	exe, _ := os.Executable()
	cmd := program(exe, os.Args[0]) + " run"
	if repeat > 1 {
		cmd += fmt.Sprintf(" -repeat %d", repeat)
	}
	return cmd
}

// goRun recognises an executable that `go run` made and will remove: in its
// work folder, or, the second time, in the build cache.
var goRun = regexp.MustCompile(`(^|/)(go-build[0-9]+/b[0-9]+/exe|[0-9a-f]{2}/[0-9a-f]{64}-d)/[^/]+$`)

// program is what a reader types to start this program again.
func program(exe, typed string) string {
	if !goRun.MatchString(filepath.ToSlash(exe)) {
		return typed
	}
	if _, err := os.Stat(filepath.FromSlash("cmd/bench/main.go")); err == nil {
		return "go run ./cmd/bench"
	}
	path := "github.com/harnessbench/bench/cmd/bench"
	if info, ok := debug.ReadBuildInfo(); ok && info.Path != "" {
		path = info.Path
	}
	return "go run " + path
}
