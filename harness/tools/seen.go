package tools

import (
	"crypto/sha256"
	"sync"
)

// seen remembers which content of a file the model last saw through read_file,
// or wrote itself. The content's hash alone decides: one that has the same size
// and time can be another, and one that was merely touched is the same (C13).
//
// A file that was never read is not in it, and may be edited: that the old text
// occurs in it exactly once is check enough then.
type seen struct {
	mu    sync.Mutex
	files map[string][sha256.Size]byte
}

// read notes what read_file has read.
func (s *seen) read(name string, sum [sha256.Size]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[string][sha256.Size]byte{}
	}
	s.files[name] = sum
}

// changed reports whether a file's content is another than the one last seen.
func (s *seen) changed(name string, now []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	sum, ok := s.files[name]
	return ok && sum != sha256.Sum256(now)
}

// write puts a content in place by put and notes it where the file was seen
// before. Two writes never come between each other's last look and renaming:
// of two edits at once the second finds the file changed, and neither is lost.
func (s *seen) write(name string, data []byte, put func() error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := put(); err != nil {
		return err
	}
	if _, ok := s.files[name]; ok {
		s.files[name] = sha256.Sum256(data)
	}
	return nil
}
