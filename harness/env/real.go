package env

import (
	crand "crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
)

// Option changes what Real returns.
type Option func(*Env)

// WithProbe makes p the machine's probe; without it there is none.
func WithProbe(p Probe) Option { return func(e *Env) { e.Probe = p } }

// WithSeed makes jitter repeatable; without it the seed is random.
func WithSeed(seed uint64) Option { return func(e *Env) { e.Seed = seed } }

// Real returns the real machine with its file system rooted at dir, which is
// made, durably and for its owner only, when it is absent.
func Real(dir string, opts ...Option) (Env, error) {
	if err := makeDir(dir); err != nil {
		return Env{}, fmt.Errorf("the session's folder cannot be made: %w", err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Env{}, fmt.Errorf("the session's folder cannot be opened: %w", err)
	}
	e := Env{Clock: RealClock(), FS: &realFS{root: root}, Probe: NoProbe{}, IDs: randomIDs{}, Seed: randomSeed()}
	for _, o := range opts {
		o(&e)
	}
	return e, nil
}

// makeDir is os.MkdirAll that survives a power cut: every folder it adds is
// synced into the one above it.
func makeDir(dir string) error {
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	above := filepath.Dir(filepath.Clean(dir))
	if above != dir {
		if err := makeDir(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return err
	}
	if info, err := os.Stat(dir); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", dir)
	}
	d, err := os.Open(above)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

type randomIDs struct{}

// Session returns 64 random bits, which no two sessions of a folder share.
func (randomIDs) Session() string {
	var b [8]byte
	crand.Read(b[:]) // never fails: it ends the program rather than return less
	return "s" + hex.EncodeToString(b[:])
}

func randomSeed() uint64 {
	var b [8]byte
	crand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:])
}
