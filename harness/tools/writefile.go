package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
	"syscall"
)

func (w *Workspace) writeFile() Tool {
	return Tool{
		Name: "write_file",
		Description: "Writes a whole file of the workspace: makes it, and the folders above it, or replaces all of its content. " +
			"To change a part of a file use edit_file.",
		Schema: `{"type":"object","properties":{
			"path":{"type":"string","description":"the file, relative to the workspace"},
			"content":{"type":"string","description":"the whole new content"}},
			"required":["path","content"],"additionalProperties":false}`,
		// Not idempotent: between a crash and the resume a person may have worked
		// on the file, and writing it again would undo that.
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct{ Path, Content string }](c)
			if err != nil {
				return Output{}, err
			}
			name, err := w.local(in.Path)
			if err != nil {
				return Output{}, err
			}
			if dir := path.Dir(name); dir != "." {
				if err := w.root.MkdirAll(dir, 0o755); errors.Is(err, fs.ErrExist) { // and is no folder
					return Output{}, w.explain(syscall.ENOTDIR, name)
				} else if err != nil {
					return Output{}, w.explain(err, dir)
				}
			}
			created, err := w.replace(name, []byte(in.Content), nil)
			if err != nil {
				return Output{}, err
			}
			did := "Replaced"
			if created {
				did = "Created"
			}
			return Output{Text: fmt.Sprintf("%s %s (%s).", did, show(name), count(len(in.Content), "byte"))}, nil
		},
	}
}

// maxEdited is the size of the largest file that is edited.
const maxEdited = 16 << 20

func (w *Workspace) editFile() Tool {
	return Tool{
		Name: "edit_file",
		Description: "Replaces a piece of text in a file of the workspace. old_string must occur exactly once, byte for byte " +
			"(white space included, line numbers of read_file not); with replace_all every occurrence is replaced.",
		Schema: `{"type":"object","properties":{
			"path":{"type":"string","description":"the file, relative to the workspace"},
			"old_string":{"type":"string","minLength":1,"description":"the text to replace"},
			"new_string":{"type":"string","description":"the text to put in its place"},
			"replace_all":{"type":"boolean","description":"replace every occurrence"}},
			"required":["path","old_string","new_string"],"additionalProperties":false}`,
		Run: func(ctx context.Context, c Call) (Output, error) {
			in, err := decode[struct {
				Path string
				Old  string `json:"old_string"`
				New  string `json:"new_string"`
				All  bool   `json:"replace_all"`
			}](c)
			if err != nil {
				return Output{}, err
			}
			name, err := w.local(in.Path)
			if err != nil {
				return Output{}, err
			}
			return w.edit(name, in.Old, in.New, in.All, nil)
		},
	}
}

// edit replaces old by new. A file that read_file has shown must still be what
// it was then: the model would edit what it has not seen (C13). The file is read again right before the new
// content takes its place: what somebody else wrote meanwhile is not lost
// (C13; two edits of one file at once both reported success,
// google-gemini/gemini-cli#26731). meanwhile, for tests, runs in between.
func (w *Workspace) edit(name, old, new string, all bool, meanwhile func()) (Output, error) {
	if old == new {
		return Output{}, failf(CodeInvalid, "old_string and new_string are the same, so nothing would change.")
	}
	data, err := w.readAll(name, maxEdited)
	if err != nil {
		return Output{}, err
	}
	if w.seen.changed(name, data) {
		return Output{}, failf(CodeConflict, "%s was changed since you read it, so nothing was changed. Read it again, then edit it.", show(name))
	}
	places := places(string(data), old)
	switch {
	case old == "":
		return Output{}, failf(CodeInvalid, "old_string is empty. Use write_file to write a whole file.")
	case len(places) == 0:
		return Output{}, failf(CodeNotFound, "old_string does not occur in %s, so nothing was changed.%s", show(name), whyNot(string(data), old))
	case len(places) > 1 && !all:
		return Output{}, failf(CodeInvalid, "old_string occurs %d times in %s (%s), so nothing was changed. Take more of the text around the place, or set replace_all.", len(places), show(name), atLines(places))
	}
	after := strings.ReplaceAll(string(data), old, new)
	_, err = w.replace(name, []byte(after), func() error {
		if meanwhile != nil {
			meanwhile()
		}
		return w.unchanged(name, data)
	})
	if err != nil {
		return Output{}, err
	}
	return Output{Text: fmt.Sprintf("Edited %s (%s).", show(name), atLines(places))}, nil
}

// unchanged refuses a file whose content is another than the given one.
func (w *Workspace) unchanged(name string, data []byte) error {
	now, err := w.readAll(name, maxEdited)
	var e *Error
	if err != nil && !(errors.As(err, &e) && e.Code == CodeNotFound) {
		return err
	}
	if err != nil || !bytes.Equal(now, data) {
		return failf(CodeConflict, "%s was changed by somebody else while it was being edited, so nothing was changed. Read it again, then edit it.", show(name))
	}
	return nil
}

// places returns the line number, from 1, of every occurrence.
func places(s, old string) []int {
	var out []int
	at, n := 0, 1
	for old != "" {
		i := strings.Index(s[at:], old)
		if i < 0 {
			break
		}
		n += strings.Count(s[at:at+i], "\n")
		out = append(out, n)
		n += strings.Count(old, "\n")
		at += i + len(old)
	}
	return out
}

func atLines(lines []int) string {
	var parts []string
	for i, n := range lines {
		if i == 10 {
			parts = append(parts, fmt.Sprintf("and %d more", len(lines)-i))
			break
		}
		parts = append(parts, strconv.Itoa(n))
	}
	if len(lines) == 1 {
		return "line " + parts[0]
	}
	return "lines " + strings.Join(parts, ", ")
}

// whyNot guesses why a text was not found.
func whyNot(s, old string) string {
	if strings.Contains(old, "\n") && !strings.Contains(old, "\r\n") && strings.Contains(s, "\r\n") {
		if strings.Contains(s, strings.ReplaceAll(old, "\n", "\r\n")) {
			return " The file ends its lines with CR LF: write \\r\\n in old_string and new_string."
		}
	}
	if plain := unnumbered(old); plain != old && strings.Contains(s, plain) {
		return " Leave out the line numbers that read_file puts before each line."
	}
	if n := spaced(s, old); n > 0 {
		return fmt.Sprintf(" Line %d is the same but for white space: copy it exactly.", n)
	}
	if strings.Contains(strings.ToLower(s), strings.ToLower(old)) {
		return " It occurs with other upper and lower case: copy it exactly."
	}
	return " Read the file again and copy the text exactly."
}

// unnumbered removes what read_file puts before each line.
func unnumbered(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		num, text, ok := strings.Cut(l, "\t")
		if _, err := strconv.Atoi(strings.TrimSpace(num)); ok && err == nil {
			lines[i] = text
		}
	}
	return strings.Join(lines, "\n")
}

// spaced returns the line, from 1, at which the lines of old stand in s when
// white space does not count; 0 for nowhere.
func spaced(s, old string) int {
	want := strings.Split(strings.Trim(old, "\n"), "\n")
	for i := range want {
		want[i] = strings.Join(strings.Fields(want[i]), " ")
	}
	if strings.Join(want, "") == "" {
		return 0
	}
	have := strings.Split(s, "\n")
	for i := range have {
		have[i] = strings.Join(strings.Fields(have[i]), " ")
	}
	for i := 0; i+len(want) <= len(have); i++ {
		same := true
		for j := range want {
			if have[i+j] != want[j] {
				same = false
				break
			}
		}
		if same {
			return i + 1
		}
	}
	return 0
}
