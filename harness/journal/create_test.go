package journal

import (
	"errors"
	"io/fs"
	"maps"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

// createThenOpen is what somebody does who finds the folder after a crash.
func createThenOpen(t *testing.T, what string, d *disk) {
	t.Helper()
	j, l, err := Open(d.env())
	if errors.Is(err, ErrNoSession) {
		if j, _, err = Create(d.env(), "s2", Record{}); err != nil {
			t.Fatalf("%s: no session, and none can be created: %v\n%q", what, err, d.files())
		}
		j.Close()
		j, l, err = Open(d.env())
	} else if err == nil && l.Records[0].Session != "s1" {
		t.Fatalf("%s: opened session %s", what, l.Records[0].Session)
	}
	if err != nil {
		t.Fatalf("%s: %v\n%q", what, err, d.files())
	}
	if len(l.Records)-len(l.Quarantined) != 1 || l.Records[0].Kind != KindSession {
		t.Fatalf("%s: %d records", what, len(l.Records))
	}
	if err := j.Commit("why", &Record{Kind: KindUser}); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	j.Close()
	f := d.files()
	if err := Verify([]byte(f[TranscriptFile]), []byte(f[AuditFile]), []byte(f[HeadFile])); err != nil {
		t.Fatalf("%s: %v", what, err)
	}
}

// TestCreateCrash kills Create at every operation and at every byte of every
// write, and cuts the power there: what is left is no session, or one that opens.
func TestCreateCrash(t *testing.T) {
	sessions, states := 0, 0
	crashes(t, 1, 7, newDisk, func(e env.Env) {
		j, _, err := Create(e, "s1", Record{})
		if err != nil {
			t.Fatal(err)
		}
		j.Close()
	}, func(what string, d *disk) {
		states++
		if strings.HasSuffix(d.files()[TranscriptFile], "\n") {
			sessions++
		}
		createThenOpen(t, what, d)
		d.powerCuts(7, func(files map[string]string) { // a kill, a second life, and only then the power
			if j, l := openAll(t, diskOf(files).env()); len(l.Records) < 2 {
				t.Fatalf("%s, then a power cut: %d records are left", what, len(l.Records))
			} else {
				j.Close()
			}
		})
	})
	if sessions == 0 || states < 900/stepSweeps {
		t.Errorf("the sweep saw %d sessions in %d states: it proves nothing", sessions, states)
	}
}

func TestCreateRefuses(t *testing.T) {
	whole := newDisk()
	sample(t, whole.env())
	session := whole.files()
	with := func(over map[string]string) map[string]string {
		m := maps.Clone(session)
		for k, v := range over {
			if m[k] = v; v == "-" {
				delete(m, k)
			}
		}
		return m
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		links map[string]fs.FileMode
		is    error
		says  string
	}{
		{"a session", session, nil, ErrExists, "transcript.jsonl: the folder holds a session already"},
		{"a torn session", with(map[string]string{TranscriptFile: session[TranscriptFile] + "{"}), nil, ErrExists, ""},
		{"transcript gone", with(map[string]string{TranscriptFile: "-"}), nil, nil, "transcript.jsonl:1: no record, though audit.jsonl holds entries"},
		{"transcript emptied", with(map[string]string{TranscriptFile: ""}), nil, nil, "no record, though audit.jsonl holds entries"},
		{"ledgers gone", with(map[string]string{TranscriptFile: "-", AuditFile: "-"}), nil, nil, "no record, though audit.head counts"},
		{"a stranger's file", map[string]string{TranscriptFile: "my notes"}, nil, nil, `transcript.jsonl:1: begins with "my notes": no session of this program`},
		{"a stranger's lines", map[string]string{TranscriptFile: "my notes\n"}, nil, ErrExists, ""},
		{"a link", nil, map[string]fs.FileMode{TranscriptFile: fs.ModeSymlink}, nil, "transcript.jsonl: not a regular file but a symbolic link"},
		{"a linked audit", nil, map[string]fs.FileMode{AuditFile: fs.ModeSymlink}, nil, "audit.jsonl: not a regular file but a symbolic link"},
		{"a linked lock", nil, map[string]fs.FileMode{LockFile: fs.ModeSymlink}, nil, "lock: not a regular file but a symbolic link"},
		{"a folder", nil, map[string]fs.FileMode{HeadFile: fs.ModeDir}, nil, "audit.head: not a regular file but a folder"},
		{"a pipe", nil, map[string]fs.FileMode{HeadFile: fs.ModeNamedPipe}, nil, "audit.head: not a regular file but a special file"},
	} {
		d := diskOf(c.files)
		d.links = c.links
		_, _, err := Create(d.env(), "s1", Record{})
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
		if !maps.Equal(d.files(), diskOf(c.files).files()) {
			t.Errorf("%s: something was changed", c.name)
		}
		if d.locked {
			t.Errorf("%s: the lock is still held", c.name)
		}
	}
	for _, c := range []struct {
		id    string
		first Record
		says  string
	}{
		{"", Record{}, "want 1 to 64"},
		{strings.Repeat("x", 65), Record{}, "want 1 to 64"},
		{"../x", Record{}, `holds '/'`},
		{"s1", Record{Kind: KindUser}, `the first record is kind "user"`},
		{"s1", Record{Version: 2}, "version 2"},
		{"s1", Record{Seq: 1}, "brings its own seq"},
	} {
		d := newDisk()
		if _, _, err := Create(d.env(), c.id, c.first); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q %+v: %v", c.id, c.first, err)
		}
		if len(d.files()) > 0 || d.locked {
			t.Errorf("%q: something was made", c.id)
		}
	}
	d := newDisk()
	d.locked = true
	if _, _, err := Create(d.env(), "s1", Record{}); !errors.Is(err, env.ErrLocked) || !strings.Contains(err.Error(), "lock: the session is held by another process") {
		t.Errorf("%v", err)
	}
}

// TestCreateFails: every operation that fails is reported, and leaves what a
// crash there would leave.
func TestCreateFails(t *testing.T) {
	for op := 1; ; op++ {
		d := newDisk()
		d.failAt, d.err, d.tear = op, errors.New("disk full"), 5
		_, _, err := Create(d.env(), "s1", Record{})
		if d.ops < op {
			if err != nil {
				t.Fatal(err)
			}
			return
		}
		if err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("operation %d (%s): %v", op, d.log[op-1], err)
		}
		if d.locked {
			t.Errorf("operation %d: the lock is still held", op)
		}
		d.failAt = 0
		createThenOpen(t, "failure of "+d.log[op-1], d)
	}
}
