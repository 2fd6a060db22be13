package scenarios

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path"
	"strings"
)

// maxFile is the largest scenario file that is read; a scenario is text that
// a person wrote.
const maxFile = 4 << 20

// source is one scenario file, cut into its script and its archive, each piece
// with its line in the file. txtar itself knows no lines; a message without
// one sends the reader searching.
type source struct {
	path    string // as it was given
	data    []byte
	script  []string // lines of the comment section; script[i] is line i+1
	archive []archived
	unnamed []int // lines that look like a marker and name nothing
}

// archived is one file of the archive.
type archived struct {
	name   string
	marker int // line of its "-- name --"
	data   []byte
}

// first is the line of the file's first line of content.
func (a *archived) first() int { return a.marker + 1 }

func readSource(name string) (*source, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes: not a scenario", name, maxFile)
	}
	return parseSource(name, data), nil
}

// parseSource cuts as txtar does: a marker line begins with "-- " and ends with
// " --", with a name between.
func parseSource(name string, data []byte) *source {
	s := &source{path: name, data: data}
	cur := -1
	for i, line := 0, 1; i < len(data); line++ {
		end := len(data)
		if j := bytes.IndexByte(data[i:], '\n'); j >= 0 {
			end = i + j + 1
		}
		text := data[i:end]
		if f := bytes.Fields(text); len(f) == 2 && text[0] == '-' && string(f[0]) == "--" && string(f[1]) == "--" {
			s.unnamed = append(s.unnamed, line)
		}
		if n := markerName(text); n != "" {
			s.archive = append(s.archive, archived{name: n, marker: line})
			cur++
		} else if cur < 0 {
			s.script = append(s.script, strings.TrimRight(string(text), "\r\n"))
		} else {
			s.archive[cur].data = append(s.archive[cur].data, text...)
			if end == len(data) && text[len(text)-1] != '\n' {
				s.archive[cur].data = append(s.archive[cur].data, '\n')
			}
		}
		i = end
	}
	return s
}

func markerName(line []byte) string {
	line = bytes.TrimSuffix(line, []byte("\n"))
	line = bytes.TrimSuffix(line, []byte("\r"))
	if !bytes.HasPrefix(line, []byte("-- ")) || !bytes.HasSuffix(line, []byte(" --")) || len(line) < 6 {
		return ""
	}
	return strings.TrimSpace(string(line[3 : len(line)-3]))
}

// file returns the archive file of that name.
func (s *source) file(name string) *archived {
	for i := range s.archive {
		if s.archive[i].name == name {
			return &s.archive[i]
		}
	}
	return nil
}

func (s *source) fileNames() []string {
	var names []string
	for i := range s.archive {
		names = append(names, s.archive[i].name)
	}
	return names
}

// header returns the comment lines that the file begins with.
func (s *source) header() []string {
	var h []string
	for _, l := range s.script {
		if !strings.HasPrefix(l, "#") {
			break
		}
		h = append(h, strings.TrimSpace(strings.TrimLeft(l, "#")))
	}
	return h
}

// escapes says why a name could leave the work directory, or "". testscript
// itself would write the file wherever the name points.
func escapes(name string) string {
	switch {
	case strings.ContainsRune(name, '\\'):
		return "a backslash means different things on different systems; write /"
	case path.IsAbs(name) || len(name) > 1 && name[1] == ':':
		return "an absolute name lies outside the work directory; write a relative one"
	}
	for _, e := range strings.Split(name, "/") {
		if e == ".." {
			return `".." leaves the work directory; write a name below it`
		}
	}
	for _, r := range name {
		if r < ' ' || r == 0x7f {
			return "a control character has no place in a file name"
		}
	}
	return ""
}
