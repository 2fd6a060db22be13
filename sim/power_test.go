package sim

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/harnessbench/bench/harness/env"
)

// A model of the disk that is as simple as it can be, and built in another way:
// it keeps everything that ever happened and tries every subset of it.
type model struct {
	names  map[string]int   // as everybody sees them: name -> file
	files  map[int][]string // each content since the last sync, byte by byte
	events []event          // on names, all since the beginning
}

type event struct {
	file     int
	from, to string // "": none
	forced   bool   // a SyncDir has made it durable
}

func folderOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return "."
}

func (e event) home() string {
	if e.to != "" {
		return folderOf(e.to)
	}
	return folderOf(e.from)
}

func (e event) shares(o event) bool {
	for _, a := range []string{e.from, e.to} {
		if a != "" && (a == o.from || a == o.to) {
			return true
		}
	}
	return false
}

// do does one operation of the alphabet; false: the real thing would refuse it.
func (m *model) do(op []string) bool {
	id, exists := m.names[op[1]]
	last := func() string { v := m.files[id]; return v[len(v)-1] }
	switch op[0] {
	case "append", "create":
		if !exists {
			id = len(m.files) + 1
			m.names[op[1]], m.files[id] = id, []string{""}
			m.events = append(m.events, event{file: id, to: op[1]})
		} else if op[0] == "create" && last() != "" {
			m.files[id] = append(m.files[id], "")
		}
		if op[0] == "append" {
			for i := range op[2] {
				m.files[id] = append(m.files[id], last()+op[2][i:i+1])
			}
		}
	case "sync":
		if exists {
			m.files[id] = []string{last()}
		}
		return exists
	case "truncate":
		if !exists || len(last()) < 1 {
			return false
		}
		m.files[id] = append(m.files[id], last()[:1])
	case "rename":
		if !exists {
			return false
		}
		delete(m.names, op[1])
		m.names[op[2]] = id
		m.events = append(m.events, event{file: id, from: op[1], to: op[2]})
	case "remove":
		if !exists {
			return false
		}
		delete(m.names, op[1])
		m.events = append(m.events, event{file: id, from: op[1]})
	case "syncdir":
		for i := range m.events {
			m.events[i].forced = m.events[i].forced || m.events[i].home() == op[1]
		}
		for j := len(m.events) - 1; j >= 0; j-- { // and what they build on
			for i := range j {
				if m.events[j].forced && m.events[i].shares(m.events[j]) {
					m.events[i].forced = true
				}
			}
		}
	}
	return true
}

// outcomes returns every image that a power cut may leave.
func (m *model) outcomes() map[string]bool {
	all := map[string]bool{}
	for subset := range 1 << len(m.events) {
		legal := true
		for j, e := range m.events {
			in := subset>>j&1 == 1
			legal = legal && (in || !e.forced)
			for i := range j {
				if in && subset>>i&1 == 0 && m.events[i].shares(e) {
					legal = false
				}
			}
		}
		if !legal {
			continue
		}
		names := map[string]int{}
		for i, e := range m.events {
			if subset>>i&1 == 1 {
				delete(names, e.from)
				if e.to != "" {
					names[e.to] = e.file
				}
			}
		}
		images := []string{""}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			var more []string
			for _, image := range images {
				for _, content := range m.files[names[name]] {
					more = append(more, image+name+"="+content+" ")
				}
			}
			images = more
		}
		for _, image := range images {
			all[image] = true
		}
	}
	return all
}

// perform does the same operation on the disk.
func perform(t *testing.T, f env.FS, op []string) bool {
	var h env.File
	var err error
	switch op[0] {
	case "append":
		if h, err = f.Append(op[1]); err == nil {
			_, err = h.Write([]byte(op[2]))
		}
	case "create":
		_, err = f.Create(op[1])
	case "sync":
		if _, err = f.Lstat(op[1]); err == nil {
			h, _ = f.Append(op[1])
			err = h.Sync()
		}
	case "truncate":
		err = f.Truncate(op[1], 1)
	case "rename":
		err = f.Rename(op[1], op[2])
	case "remove":
		err = f.Remove(op[1])
	case "syncdir":
		err = f.SyncDir(op[1])
	default:
		t.Fatal(op)
	}
	return err == nil
}

func flat(image map[string][]byte) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(image)) {
		fmt.Fprintf(&b, "%s=%s ", name, image[name])
	}
	return b.String()
}

// compare runs one sequence of operations on disk and model, tries every cut,
// and demands the same set of images. It returns how many there are.
func compare(t *testing.T, ops [][]string) int {
	t.Helper()
	m := &model{names: map[string]int{}, files: map[int][]string{}}
	world := func() (*World, env.FS, bool) {
		w := NewWorld(0)
		w.Files("d")
		f := w.Files(".")
		for _, op := range ops {
			if !perform(t, f, op) {
				return nil, nil, false
			}
		}
		return w, f, true
	}
	for _, op := range ops {
		if !m.do(op) {
			if _, _, ok := world(); ok {
				t.Fatalf("%v: the model refuses what the disk does", ops)
			}
			return 0
		}
	}
	want := m.outcomes()
	got := map[string]bool{}
	for answers := []int{}; answers != nil; {
		w, _, ok := world()
		if !ok {
			t.Fatalf("%v: the disk refuses", ops)
		}
		n, sizes := 0, []int{}
		w.Disk.PowerCutBy(func(options int) int {
			if n == len(answers) {
				answers = append(answers, 0)
			}
			sizes = append(sizes, options)
			n++
			return answers[n-1]
		})
		image := flat(w.Disk.Image())
		if !want[image] {
			t.Fatalf("%v: a cut leaves %q, not one of %q", ops, image, slices.Sorted(maps.Keys(want)))
		}
		got[image] = true
		w.Disk.PowerCutSynced() // what survived one cut survives the next
		if again := flat(w.Disk.Image()); again != image {
			t.Fatalf("%v: %q became %q in a second cut", ops, image, again)
		}
		for n > 0 { // the next combination of answers
			if answers[n-1]++; answers[n-1] < sizes[n-1] {
				break
			}
			n--
		}
		if answers = answers[:n]; n == 0 {
			answers = nil
		}
	}
	for image := range want {
		if !got[image] {
			t.Fatalf("%v: no cut leaves %q; got %q", ops, image, slices.Sorted(maps.Keys(got)))
		}
	}
	return len(got)
}

var alphabet = func() (list [][]string) {
	for _, name := range []string{"a", "b", "d/a"} {
		list = append(list, []string{"append", name, "xy"}, []string{"sync", name}, []string{"remove", name})
	}
	return append(list, []string{"create", "a"}, []string{"truncate", "a"},
		[]string{"rename", "a", "b"}, []string{"rename", "b", "a"}, []string{"rename", "a", "d/a"}, []string{"rename", "d/a", "b"},
		[]string{"syncdir", "."}, []string{"syncdir", "d"})
}()

// Every sequence of up to three operations, and many longer ones: the disk
// leaves exactly the images that the model allows.
func TestPowerCutAgainstModel(t *testing.T) {
	images, sequences := 0, 0
	var try func(ops [][]string, left int)
	try = func(ops [][]string, left int) {
		images += compare(t, ops)
		sequences++
		if left > 0 {
			for _, op := range alphabet {
				try(append(slices.Clip(ops), op), left-1)
			}
		}
	}
	try(nil, 3)
	long := 1500
	if testing.Short() {
		long = 200
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range long {
		m := &model{names: map[string]int{}, files: map[int][]string{}}
		var ops [][]string
		for len(ops) < 8 {
			if op := alphabet[rng.IntN(len(alphabet))]; m.do(op) {
				ops = append(ops, op)
			}
		}
		images += compare(t, ops)
		sequences++
	}
	t.Logf("%d sequences, %d images", sequences, images)
	if images < 10*long {
		t.Errorf("only %d images over %d sequences: hardly anything was cut", images, sequences)
	}
}

// The cases that a journal has to know, in words.
func TestPowerCut(t *testing.T) {
	for _, tt := range []struct {
		name string
		ops  string
		want string // the images, sorted, by "|"
	}{
		{"nothing is durable without a sync of the folder", "append a xy; sync a", "|a=xy "},
		{"nor are the bytes without a sync of the file", "append a xy; syncdir .", "a= |a=x |a=xy "},
		{"both", "append a xy; sync a; syncdir .", "a=xy "},
		{"a torn tail", "append a 12; sync a; syncdir .; append a 345", "a=12 |a=123 |a=1234 |a=12345 "},
		{"two appends are one run", "append a 1; syncdir .; append a 2", "a= |a=1 |a=12 "},
		{"files are torn apart from each other", "append a x; append b y; syncdir .",
			"a= b= |a= b=y |a=x b= |a=x b=y "},
		{"a truncation is not durable either", "append a xyz; sync a; syncdir .; truncate a", "a=x |a=xyz "},
		{"what follows it comes after it", "append a xyz; sync a; syncdir .; truncate a; append a 7", "a=x |a=x7 |a=xyz "},
		{"until a sync", "append a xyz; sync a; syncdir .; truncate a; append a 7; sync a", "a=x7 "},
		{"a rename without a sync of the folder", "append a old; sync a; append b new; sync b; syncdir .; rename b a",
			"a=new |a=old b=new "},
		{"a rename whose bytes were not synced: the empty head file", "append a old; sync a; syncdir .; append b n; rename b a; syncdir .",
			"a= |a=n "},
		{"a rename into another folder is one event", "append a x; sync a; syncdir .; rename a d/a", "a=x |d/a=x "},
		{"which the new folder's sync makes durable", "append a x; sync a; syncdir .; rename a d/a; syncdir d", "d/a=x "},
		{"and the old one's does not", "append a x; sync a; syncdir .; rename a d/a; syncdir .", "a=x |d/a=x "},
		{"but never loses the file", "append a x; sync a; syncdir .; rename a d/a; append a y; syncdir .",
			"a= d/a=x |a=y d/a=x "},
		{"a removal", "append a x; sync a; syncdir .; remove a", "|a=x "},
		{"removed and made again", "append a x; sync a; syncdir .; remove a; append a y; sync a", "|a=x |a=y "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var ops [][]string
			for op := range strings.SplitSeq(tt.ops, "; ") {
				ops = append(ops, strings.Fields(op))
			}
			compare(t, ops)
			m := &model{names: map[string]int{}, files: map[int][]string{}}
			for _, op := range ops {
				m.do(op)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(m.outcomes())), "|"); got != tt.want {
				t.Errorf("images %q, want %q", got, tt.want)
			}
		})
	}
}

// A folder that was not synced into the one above is lost with all in it.
func TestPowerCutFolders(t *testing.T) {
	for _, tt := range []struct {
		sync []string
		want string
	}{
		{nil, ""},
		{[]string{"new"}, ""},
		{[]string{"."}, ""},
		{[]string{"new", "."}, "new/a=x "},
	} {
		w := NewWorld(0)
		f := w.Files(".")
		f.MkdirAll("new/below")
		h, _ := f.Append("new/a")
		h.Write([]byte("x"))
		h.Sync()
		for _, name := range tt.sync {
			f.SyncDir(name)
		}
		w.Disk.PowerCutSynced()
		if got := flat(w.Disk.Image()); got != tt.want {
			t.Errorf("after SyncDir of %v: %q, want %q", tt.sync, got, tt.want)
		}
	}
}

// PowerCut reaches every outcome, the two ends often, and the same ones for
// the same rng.
func TestPowerCutRandom(t *testing.T) {
	count := map[string]int{}
	for seed := range uint64(2000) {
		cut := func() string {
			w := NewWorld(0)
			f := w.Files(".")
			for _, name := range []string{"a", "b"} {
				h, _ := f.Append(name)
				h.Write([]byte("xyz"))
			}
			w.Disk.PowerCut(rand.New(rand.NewPCG(seed, 0)))
			return flat(w.Disk.Image())
		}
		image := cut()
		if again := cut(); again != image {
			t.Fatalf("seed %d: %q and %q", seed, image, again)
		}
		count[image]++
	}
	if want := 1 + 4 + 4 + 16; len(count) != want {
		t.Errorf("%d different images, want %d: %v", len(count), want, count)
	}
	if count[""] < 400 || count["a=xyz b=xyz "] < 400 {
		t.Errorf("the two ends come too rarely: %v", count)
	}
}

func TestSettle(t *testing.T) {
	w := NewWorld(0)
	f := w.Files("work")
	f.MkdirAll("deep/er")
	h, _ := f.Append("deep/er/a")
	h.Write([]byte("x"))
	w.Disk.Settle()
	w.Disk.PowerCutSynced()
	if got := flat(w.Disk.Image()); got != "work/deep/er/a=x " {
		t.Errorf("after Settle and a cut: %q", got)
	}
}
