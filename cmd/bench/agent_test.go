package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/harnessbench/bench/harness/journal"
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/fake"
)

const testKey = "sk-ant-test-0123456789abcdef"

// place is where a test's agents run: a workspace, a state folder, an API.
type place struct {
	t         *testing.T
	api       *fake.Server
	url       string
	work, dir string // workspace, session folder
}

// newPlace serves the reply script on loopback.
func newPlace(t *testing.T, script string) *place {
	t.Helper()
	s, err := fake.Parse("replies.script", []byte(script), fake.ParseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, api: fake.NewServer(s, fake.Options{}), work: t.TempDir(), dir: filepath.Join(t.TempDir(), "session")}
	keyed := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k := r.Header.Get("X-Api-Key"); k != testKey {
			http.Error(w, "the key is "+k, http.StatusTeapot)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		for lane, says := range map[string]string{providers.LaneJudge: "You judge whether", providers.LaneSummary: "You summarise"} {
			if bytes.Contains(body, []byte(`"system":"`+says)) {
				r.Header.Set("X-Bench-Lane", lane) // only a bench's own client names it
			}
		}
		p.api.Handler().ServeHTTP(w, r)
	})
	srv := httptest.NewServer(keyed)
	t.Cleanup(func() {
		srv.CloseClientConnections() // of the killed
		srv.Close()
	})
	p.url = srv.URL
	return p
}

// ended is a process that is over.
type ended struct {
	status   int // -1: killed
	out, err string
}

func (p *place) command(args ...string) *exec.Cmd {
	cmd := exec.Command("bench", append([]string{"agent"}, args...)...)
	cmd.Dir = p.work
	cmd.Env = append(os.Environ(), "ANTHROPIC_API_KEY="+testKey, "ANTHROPIC_BASE_URL="+p.url, "PWD="+p.work,
		"XDG_STATE_HOME="+filepath.Join(filepath.Dir(p.dir), "state"), "TERM=xterm")
	return cmd
}

// agent runs one to its end.
func (p *place) agent(args ...string) ended {
	p.t.Helper()
	cmd := p.command(args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var e *exec.ExitError
	if err != nil && !errors.As(err, &e) {
		p.t.Fatal(err)
	}
	return ended{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// running is a process whose steps can be waited for.
type running struct {
	p    *place
	cmd  *exec.Cmd
	out  bytes.Buffer
	errs *bufio.Scanner
	said []string
}

func (p *place) start(args ...string) *running {
	p.t.Helper()
	r := &running{p: p, cmd: p.command(append(args, "-v")...)}
	r.cmd.Stdout = &r.out
	pipe, err := r.cmd.StderrPipe()
	if err == nil {
		err = r.cmd.Start()
	}
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { r.cmd.Process.Kill(); r.cmd.Wait() })
	r.errs = bufio.NewScanner(pipe)
	return r
}

// until reads standard error up to a line that matches.
func (r *running) until(re string) {
	r.p.t.Helper()
	for r.errs.Scan() {
		r.said = append(r.said, r.errs.Text())
		if regexp.MustCompile(re).MatchString(r.errs.Text()) {
			return
		}
	}
	r.p.t.Fatalf("the agent never said %q, but:\n%s", re, strings.Join(r.said, "\n"))
}

// end waits for the process, which a signal may end.
func (r *running) end(s os.Signal) ended {
	r.p.t.Helper()
	if err := r.cmd.Process.Signal(s); err != nil {
		r.p.t.Fatal(err)
	}
	for r.errs.Scan() {
		r.said = append(r.said, r.errs.Text())
	}
	r.cmd.Wait()
	return ended{r.cmd.ProcessState.ExitCode(), r.out.String(), strings.Join(r.said, "\n") + "\n"}
}

func (p *place) want(got ended, status int, out, errRE string) {
	p.t.Helper()
	if got.status != status || got.out != out || !regexp.MustCompile(errRE).MatchString(got.err) {
		p.t.Fatalf("exit status %d, want %d\nstdout %q, want %q\nstderr %q, want a match of %q", got.status, status, got.out, out, got.err, errRE)
	}
	p.noKey(got)
}

// noKey looks for the key in what a process said and in every file it may have written.
func (p *place) noKey(e ended) {
	p.t.Helper()
	if strings.Contains(e.out+e.err, testKey) {
		p.t.Errorf("the key is in the output:\n%s%s", e.out, e.err)
	}
	for _, root := range []string{p.work, filepath.Dir(p.dir)} {
		filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && filepath.Base(path) != ".env" {
				if b, _ := os.ReadFile(path); bytes.Contains(b, []byte(testKey)) {
					p.t.Errorf("the key is in %s", path)
				}
			}
			return nil
		})
	}
}

// records verifies the session in dir and returns its transcript.
func (p *place) records(dir string) []journal.Record {
	p.t.Helper()
	transcript := []byte(read(p.t, filepath.Join(dir, journal.TranscriptFile)))
	err := journal.Verify(transcript, []byte(read(p.t, filepath.Join(dir, journal.AuditFile))), []byte(read(p.t, filepath.Join(dir, journal.HeadFile))))
	if err != nil {
		p.t.Fatalf("the session does not verify: %v", err)
	}
	var recs []journal.Record
	for _, l := range bytes.Split(bytes.TrimSuffix(transcript, []byte("\n")), []byte("\n")) {
		r, err := journal.Parse(l)
		if err != nil {
			p.t.Fatal(err)
		}
		recs = append(recs, r)
	}
	return recs
}

// served checks that the API was asked what its script expects, and for all of it.
func (p *place) served() {
	p.t.Helper()
	if f := p.api.Findings(); len(f) > 0 {
		p.t.Errorf("the API found: %v", f)
	}
	if u := p.api.Unused(); len(u) > 0 {
		p.t.Errorf("the API was not asked for: %v", u)
	}
}

const twoTools = `
reply
    text "I write."
    call t1 write_file {"path":"hello.txt","content":"hello\n"}
reply
    expect results == t1
    expect result.t1.error == false
    call t2 bash {"command":"cat hello.txt; echo \"key: $ANTHROPIC_API_KEY.\""}
reply
    expect results == t2
    expect result.t2 ~ "hello\nkey: \\."
    text "The file says hello."
`

func TestAgent(t *testing.T) {
	for _, extra := range [][]string{nil, {"-no-stream"}} {
		t.Run(strings.Join(extra, ""), func(t *testing.T) {
			p := newPlace(t, twoTools)
			got := p.agent(append(extra, "-allow-bash", "-session", p.dir, "-p", "say hello")...)
			p.want(got, 0, "The file says hello.\n", `^session `+regexp.QuoteMeta(p.dir)+`\n$`)
			p.served()
			if s := read(t, filepath.Join(p.work, "hello.txt")); s != "hello\n" {
				t.Errorf("the file holds %q", s)
			}
			recs := p.records(p.dir)
			if last := recs[len(recs)-1]; last.Kind != journal.KindTerminal || last.Reason != "completed" {
				t.Errorf("the last record is %v %v", last.Kind, last.Reason)
			}
			streamed := strings.Contains(string(p.api.Exchanges()[0].Body), `"stream":true`)
			if streamed != (extra == nil) {
				t.Errorf("with %q the request asks for a stream: %v", extra, streamed)
			}
			// A session that is over, one that is there, and one that is not.
			p.want(p.agent("-session", p.dir, "-p", "again"), 2, "", `^bench agent: .*session holds a session already; go on with it with -resume`)
			p.want(p.agent("-session", p.dir, "-resume"), 2, "", `nothing to resume: run 1 ended with completed; give a prompt to go on\n$`)
			p.want(p.agent("-session", p.dir+"2", "-resume"), 2, "", `^bench agent: .*session2 holds no session: .*leave -resume out to begin one\n$`)
			if _, err := os.Stat(p.dir + "2"); err == nil {
				t.Error("a refused resume made a folder")
			}
		})
	}
}

// Without -session a folder of its own is found again by the next -resume,
// here and from nowhere else.
func TestAgentFindsItsSession(t *testing.T) {
	p := newPlace(t, "reply\n    text \"One.\"\nreply\n    expect messages.0.text ~ first\n    expect messages.-1.text ~ second\n    text \"Two.\"\n")
	p.want(p.agent("-resume", "-p", "none yet"), 2, "", `there is no session of .* to resume; begin one with -p PROMPT`)
	p.want(p.agent("-p", "the first"), 0, "One.\n", `^session .*state/bench/sessions/`)
	other := *p
	other.work = t.TempDir()
	p.want(other.agent("-resume", "-p", "elsewhere"), 2, "", `there is no session of`)
	// A later folder that never came to hold a session is passed over.
	one, err := filepath.Glob(filepath.Join(filepath.Dir(p.dir), "state", "bench", "sessions", "*", "*"))
	if err != nil || len(one) != 1 {
		t.Fatalf("sessions: %v %v", one, err)
	}
	os.Mkdir(filepath.Join(filepath.Dir(one[0]), "99991231-235959.000-0"), 0o700)
	p.want(p.agent("-resume", "-p", "the second"), 0, "Two.\n", regexp.QuoteMeta(one[0]))
	p.served()
}

const hanging = `
reply
    text "I write."
    call t1 write_file {"path":"hello.txt","content":"hello\n"}
reply
    expect results == t1
    text "Half\n" "an ans"
    hang
reply
    expect results == t1
    text "The whole answer."
`

// Killed in the middle of an answer: the next process settles it and goes on.
func TestAgentKilledInStream(t *testing.T) {
	p := newPlace(t, `
reply
    text "I write."
    call t1 write_file {"path":"hello.txt","content":"hello\n"}
reply
    expect results == t1
    text "The whole"
    gate killed
    text " answer."
`)
	r := p.start("-session", p.dir, "-p", "say hello")
	r.until(`^c1 done: `)
	// Another process keeps out, whatever it wants to do.
	before := read(t, filepath.Join(p.dir, journal.TranscriptFile))
	held := `^bench agent: session .*lock: the session is held by another process: wait until that ends, or stop it\n$`
	p.want(p.agent("-session", p.dir, "-resume"), 2, "", held)
	p.want(p.agent("-session", p.dir, "-resume", "-p", "me too"), 2, "", held)
	if after := read(t, filepath.Join(p.dir, journal.TranscriptFile)); !strings.HasPrefix(after, before) || strings.Contains(after, "me too") {
		t.Error("a refused process wrote")
	}
	if got := r.end(syscall.SIGKILL); got.status != -1 || got.out != "" {
		t.Fatalf("a killed agent ended with %+v", got)
	}
	p.noKey(ended{})
	p.api.BeginLife()
	p.api.OpenGate("killed")
	p.want(p.agent("-session", p.dir, "-resume", "-v"), 0, "The whole answer.\n", "a crash was settled; going on\n")
	p.served()
	recs := p.records(p.dir)
	n := map[journal.Kind]int{}
	for _, r := range recs {
		n[r.Kind]++
	}
	if n[journal.KindUser] != 1 || n[journal.KindStarted] != 1 || n[journal.KindResume] != 1 || n[journal.KindTerminal] != 1 {
		t.Errorf("the records are %v", n)
	}
}

// Killed while a command runs: its outcome is unknown, and it does not run again.
func TestAgentKilledInTool(t *testing.T) {
	p := newPlace(t, `
reply
    call t1 bash {"command":"echo once >>log; echo ready >started; read x <never"}
reply
    expect results == t1
    expect result.t1 ~ unknown
    text "I look first."
`)
	started, never := fifo(t, filepath.Join(p.work, "started")), fifo(t, filepath.Join(p.work, "never"))
	r := p.start("-allow-bash", "-session", p.dir, "-p", "run it")
	if !ready(t, started) {
		t.Fatal("the command was never started")
	}
	r.end(syscall.SIGKILL)
	// The command was in a process group of its own, and outlives its agent.
	io.WriteString(never, "go on\n")
	p.api.BeginLife()
	p.want(p.agent("-session", p.dir, "-resume"), 0, "I look first.\n", "")
	p.served()
	if s := read(t, filepath.Join(p.work, "log")); s != "once\n" {
		t.Errorf("the log holds %q", s)
	}
	p.records(p.dir)
}

func TestAgentInterrupted(t *testing.T) {
	t.Run("stream", func(t *testing.T) {
		p := newPlace(t, hanging)
		r := p.start("-session", p.dir, "-p", "say hello")
		r.until(`^Half$`)
		p.want(r.end(os.Interrupt), 1, "I write.\n", `(?s)bench: ending in order; once more to kill\n.*bench agent: aborted_streaming: .*interrupt|bench agent: aborted_streaming: .*interrupt`)
		recs := p.records(p.dir)
		if last := recs[len(recs)-1]; last.Kind != journal.KindTerminal || last.Reason != "aborted_streaming" {
			t.Errorf("the last record is %v %v", last.Kind, last.Reason)
		}
		p.want(p.agent("-session", p.dir, "-resume", "-p", "and now?"), 0, "The whole answer.\n", "")
	})
	t.Run("tool", func(t *testing.T) {
		p := newPlace(t, `
reply
    call t1 bash {"command":"trap '' INT TERM; echo ready >started; read x <never"}
reply
    expect result.t1 ~ interrupted
    text "It was interrupted."
`)
		started, never := fifo(t, filepath.Join(p.work, "started")), fifo(t, filepath.Join(p.work, "never"))
		r := p.start("-allow-bash", "-session", p.dir, "-p", "run it")
		if !ready(t, started) {
			t.Fatal("the command was never started")
		}
		p.want(r.end(syscall.SIGTERM), 1, "", `bench agent: aborted_tools: `)
		recs := p.records(p.dir)
		if last := recs[len(recs)-1]; last.Kind != journal.KindTerminal || last.Reason != "aborted_tools" {
			t.Errorf("the last record is %v %v", last.Kind, last.Reason)
		}
		// Nobody else has the pipe open any more: the command is gone.
		never.Close()
		if f, err := os.OpenFile(filepath.Join(p.work, "never"), os.O_WRONLY|syscall.O_NONBLOCK, 0); err == nil {
			f.Close()
			t.Error("the command still runs")
		}
		p.want(p.agent("-session", p.dir, "-resume", "-p", "and now?"), 0, "It was interrupted.\n", "")
		p.served()
	})
}

// What the user can put right is one sentence.
func TestAgentFailures(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + l.Addr().String()
	l.Close()
	quiet := "reply\n    text \"Hello.\"\n"
	for _, c := range []struct {
		name, script string
		args, env    []string
		status       int
		err          string // the last line
		session      bool   // there is one
	}{
		{"wrong key", "reply 401 authentication_error \"invalid x-api-key\"\n", nil, nil, 1,
			`^bench agent: model_error: .*invalid x-api-key.*; check ANTHROPIC_API_KEY$`, true},
		{"the server quotes the key", "reply 401 authentication_error \"invalid x-api-key " + testKey + "\"\n", nil, nil, 1,
			`^bench agent: model_error: .*API key removed.*`, true},
		{"no such model", "reply 404 not_found_error \"model: x\"\n", nil, nil, 1, `; check -model and -base-url$`, true},
		{"unreachable", quiet, []string{"-base-url", nobody, "-retries", "0"}, nil, 1,
			`^bench agent: model_error: .*connection refused.*; check -base-url and the network$`, true},
		{"no retries", "reply 529\n", []string{"-retries", "0"}, nil, 1, `^bench agent: model_error: overloaded 529`, true},
		{"truncated", "reply times=5\n    text \"Part ${n}.\"\n    stop max_tokens\n", nil, nil, 1, `^bench agent: truncated`, true},
		{"turns", "reply\n    call t1 glob {\"pattern\":\"*\"}\n", []string{"-max-turns", "1"}, nil, 1, `^bench agent: max_turns`, true},

		{"no key", quiet, nil, []string{"ANTHROPIC_API_KEY=", "ANTHROPIC_BASE_URL="}, 2,
			`^bench agent: ANTHROPIC_API_KEY is not set; set it, or name another server with -base-url$`, false},
		{"no URL", quiet, []string{"-base-url", "localhost:80"}, nil, 2, `^bench agent: -base-url "localhost:80" is not an http or https URL`, false},
		{"no turns", quiet, []string{"-max-turns", "0"}, nil, 2, `^bench agent: -max-turns is 0; it must be at least 1$`, false},
		{"protocol", quiet, []string{"-protocol", "smoke"}, nil, 2, `^bench agent: -protocol "smoke" is none that there is: it is one of anthropic, `, false},
		{"an argument", quiet, []string{"hello"}, nil, 2, `^bench agent: "hello" is not a flag; the prompt goes behind -p, in quotes$`, false},
		{"empty prompt", quiet, []string{"-p", ""}, nil, 2, `^bench agent: there is no prompt; say what is to be done with -p PROMPT`, false},
		{"session in a file", quiet, []string{"-session", "/dev/null/x"}, nil, 2, `^bench agent: the session's folder cannot be made: .*not a folder$`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t, c.script)
			cmd := p.command(append([]string{"-session", p.dir, "-p", "hi"}, c.args...)...)
			cmd.Env = append(cmd.Env, c.env...)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			cmd.Run()
			got := ended{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
			lines := strings.Split(strings.TrimSuffix(got.err, "\n"), "\n")
			most := 1
			if c.session {
				most = 2 // the session's folder
				p.records(p.dir)
				if c.name != "unreachable" {
					p.served()
				}
			} else if _, err := os.Stat(p.dir); err == nil {
				t.Error("a folder was made")
			}
			if got.status != c.status || !regexp.MustCompile(c.err).MatchString(lines[len(lines)-1]) || len(lines) != most {
				t.Errorf("exit status %d, want %d; stderr %q, want %q", got.status, c.status, lines, c.err)
			}
			p.noKey(got)
		})
	}
}

// A transcript that was damaged is refused with its line, and left as it is.
func TestAgentCorruptTranscript(t *testing.T) {
	p := newPlace(t, "reply\n    text \"One.\"\n")
	p.want(p.agent("-session", p.dir, "-p", "hi"), 0, "One.\n", "")
	name := filepath.Join(p.dir, journal.TranscriptFile)
	bad := strings.Replace(read(t, name), "One.", "Two.", 1)
	if err := os.WriteFile(name, []byte(bad), 0o600); err != nil {
		t.Fatal(err)
	}
	p.want(p.agent("-session", p.dir, "-resume", "-p", "go on"), 2, "", `^bench agent: session .*: transcript.jsonl:[0-9]+: [^\n]+\n$`)
	if read(t, name) != bad {
		t.Error("the damaged transcript was changed")
	}
}

// The disk is full (here: no file may grow beyond 2 KB): nothing is forged, and
// with space again the session goes on.
func TestAgentFullDisk(t *testing.T) {
	p := newPlace(t, "reply\n    text \"Much. \"*2000\nreply\n    text \"Short.\"\n")
	cmd := p.command("-session", p.dir, "-p", "hi")
	sh := exec.Command("sh", append([]string{"-c", `ulimit -f 8; exec "$@"`, "sh"}, cmd.Args...)...)
	sh.Dir, sh.Env = cmd.Dir, cmd.Env
	var out, errs bytes.Buffer
	sh.Stdout, sh.Stderr = &out, &errs
	sh.Run()
	got := ended{sh.ProcessState.ExitCode(), out.String(), errs.String()}
	p.want(got, 2, "", `(?m)^bench agent: session .*transcript.jsonl: .*file too large.*$`)
	if strings.Count(got.err, "\n") > 2 {
		t.Errorf("more than a sentence: %s", got.err)
	}
	p.api.BeginLife()
	p.want(p.agent("-session", p.dir, "-resume"), 0, strings.Repeat("Much. ", 2000)+"\n", "")
	p.records(p.dir)
}

// A file that holds the key is read, and the key is not recorded.
func TestAgentHidesTheKey(t *testing.T) {
	p := newPlace(t, `
reply
    call t1 read_file {"path":".env"}
    call t2 bash {"command":"cat .env; cat /proc/$PPID/environ | tr '\\0' '\\n'; env"}
reply
    expect result.t1 ~ "KEY=.API key removed."
    expect result.t2 ~ "KEY=.API key removed."
    text "Done."
`)
	if err := os.WriteFile(filepath.Join(p.work, ".env"), []byte("KEY="+testKey+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.want(p.agent("-allow-bash", "-session", p.dir, "-p", "hi", "-v"), 0, "Done.\n", "API key removed")
	p.served()
	for _, x := range p.api.Exchanges() {
		if bytes.Contains(x.Body, []byte(testKey)) {
			t.Error("a request's body holds the key")
		}
	}
}

// The reader of the steps may go: the run does not end for that.
func TestAgentWithoutAReader(t *testing.T) {
	p := newPlace(t, twoTools)
	cmd := p.command("-allow-bash", "-session", p.dir, "-p", "hi", "-v")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	cmd.Stderr = w
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	b, _ := io.ReadAll(out)
	if err := cmd.Wait(); err != nil || string(b) != "The file says hello.\n" {
		t.Errorf("%v, stdout %q", err, b)
	}
	p.served()
}
