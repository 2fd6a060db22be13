package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/harnessbench/bench/harness/journal"
)

// sessionDir names the session's folder and makes nothing. Sessions lie outside
// the workspace wd, so that no tool writes into a ledger by accident.
func sessionDir(name, wd string, resume bool) (string, error) {
	if name != "" {
		if resume && !holdsSession(name) {
			return "", fmt.Errorf("%s holds no session: there is no %s in it; leave -resume out to begin one", name, journal.TranscriptFile)
		}
		return name, nil
	}
	state := os.Getenv("XDG_STATE_HOME")
	if state == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("there is no place for sessions: %w; name a folder with -session", err)
		}
		state = filepath.Join(home, ".local", "state")
	}
	parent := filepath.Join(state, "bench", "sessions", folderName(wd))
	if !resume {
		var b [4]byte
		rand.Read(b[:]) // never fails
		return filepath.Join(parent, time.Now().UTC().Format("20060102-150405.000-")+hex.EncodeToString(b[:])), nil
	}
	entries, _ := os.ReadDir(parent) // in the order of their names: of time
	for i := len(entries) - 1; i >= 0; i-- {
		if dir := filepath.Join(parent, entries[i].Name()); holdsSession(dir) {
			return dir, nil
		}
	}
	return "", fmt.Errorf("there is no session of %s to resume; begin one with -p PROMPT, or name its folder with -session", wd)
}

func holdsSession(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, journal.TranscriptFile))
	return err == nil
}

// folderName is a name for the sessions of a workspace: readable, short, and no
// other workspace's.
func folderName(wd string) string {
	if real, err := filepath.EvalSymlinks(wd); err == nil {
		wd = real
	}
	sum := sha256.Sum256([]byte(wd))
	base := filepath.Base(wd)
	if base == string(filepath.Separator) {
		base = "root"
	}
	return fmt.Sprintf("%.100s-%x", base, sum[:6])
}
