/*
Package scenarios is the language in which failures of an agent loop are
written down, its checker, and the engine that runs it.

A scenario is one text file (txtar): a script, and below it the files the script
uses. This one kills the loop between a tool's effect and its record, resumes it
twice, and says what must have become of it:

	# Killed between the tool's effect and its record: told as unknown, never run twice.
	# Article: the crash trap, accident 2. Mechanisms J2, J4.
	provider replies.script
	at tool.ran t1 kill
	run 'append hello to notes.txt'
	terminal crashed
	resume 'go on'
	terminal completed
	calls t1=unknown
	effects append=1

	-- replies.script --
	reply
	    call t1 append {"file":"notes.txt","line":"hello"}
	reply
	    expect result.t1 ~ unknown
	    text "I will check the file first."

Run runs files and reports Results in order; Test does the same inside go test;
Load only checks. Beside what a script states, every rule of package invariants
is judged at the end of each variant by itself, also when an assertion failed.

# The file

The script is the part above the first "-- NAME --" line. Its first comment says
in a sentence what the scenario proves, and where it comes from (Article,
Mechanism, Report, Paper, Design, Source or From). The whole file is checked
before any of it runs: every command and argument, every variable, every reply
script. All problems are named at once, each with its line in the file.

Lines are testscript's (github.com/rogpeppe/go-internal/testscript): words are
separated by blanks; single quotes keep blanks, $ and #; a doubled single quote inside
quotes is one quote; # begins a comment and, in column 1, a new phase of the
log. $VAR and ${VAR} are replaced outside quotes, ${VAR@R} is quoted for a
regular expression. A variable that is not set is an error, and so is a # glued
to a word: write 't1#2' in quotes.

	! COMMAND           the command must fail; for run, resume, events, cmp, exec, exists, grep, stdout, stderr
	[NAME] COMMAND      only in case NAME; [!NAME] in every other; [realkill] where kills are real
	[linux] COMMAND     also darwin, amd64, arm64, unix, symlink, link, exec:PROG

Names of archive files and all paths stay inside the work directory: no
absolute name, no "..", no backslash, no $.

# Variants

	case NAME [VAR=VALUE]...    one variant for each case line; none: one unnamed variant
	each VAR VALUE...|A..B      a sweep: every variant so far, once for each value; may stand behind a guard
	protocol NAME...|all        the wire protocols: anthropic, chat, responses, gemini; without the line all of them
	realkill [CASE]...          every variant (of those cases) once more, with each kill a real SIGKILL of a child process

These lines come first. Variants are called FILE/CASE/VAR=VALUE/realkill, and in a protocol that is not the file's first
FILE/CASE/VAR=VALUE/PROTOCOL.

A reply script is the same in every protocol, and so must the run be: the rule wire/protocol-blind compares each variant
with that of the first protocol. What a protocol cannot say (a pause_turn in chat, say) skips the variant there, by name
and reason; where the file names the protocols itself, it is a mistake. [chat] and the like guard lines for one protocol;
then nothing is compared. Real kills are made in the first protocol only.

In a realkill variant every life is lived twice, in the simulated world and on a
real disk; a life that a kill ends is lived there by a child process, which kills
itself with SIGKILL at the same place. Afterwards both must agree, in every byte
on disk, everything shown, every request and every step, or the variant fails.
Power cuts are never real.

# The stage

	provider FILE               the reply script (package fake) that answers from here on
	replay CASSETTE [match=order|content]
	                            a recording answers; looked for beside the scenario and in the folder above it
	config KEY=VALUE...         the loop's limits, below
	tool NAME read|write [ID:]BEHAVIOUR...
	                            declare a tool; read: it has no effects
	tool todo|tasks|compact     offer one of the loop's own tools (tasks: all task_* tools)
	permit TOOL=DECISION...     rules of a policy, in order; without any line there is no policy
	hook stop|tool OUTCOME...   a hook: asked at the end of an answer, or behind its tools; several lines are several hooks
	session NAME                from here on a fresh session with ledgers, tools, limits and a provider line of its own; the
	                            workspace is shared
	history FILE                a fresh session whose records are those of FILE, one JSON record a line, without
	                            seq, time, session and audit; the journal writes it, so its ledgers are sound
	damage FILE line=N nul|drop, line=N from=T to=T, cut=N, append=T
	                            between two lives: FILE is transcript, audit, head or effects. Line N becomes NULs, is
	                            dropped, or has its first T replaced; the last N bytes are lost; T is glued on ("..." with
	                            Go escapes). Damage that changes nothing is an error
	fault NAME [KEY=VALUE]... [nth=N|first=N|every] [lane=L]
	                            break an answer, or a call of a tool (tool=NAME): bench list faults, bench explain fault/NAME.
	                            Several compose, in order. N counts the requests of the lane from here on (default: the
	                            first of lane main), or the calls of the tool
	at POINT [WHAT] [N] ACTION [bytes=N] [after=D]
	                            arm: at the N-th hit from here (default 1), once

Config keys and defaults (0 means none where "or 0" stands; N is a number, of tokens where it says so, D a duration,
SIZE a number of bytes; KB is 1000 bytes):

	max_turns=50                model answers a run may use
	max_tokens=8000             of a request

	escalate=64000 or 0         the ladder: tokens to which max_tokens is raised once after a cut answer
	continue=3 or 0             continuations of a cut answer, a turn
	retries=10 or 0             transport retries of one request
	fallback= (none)            the model that takes over after three overloads in a row
	empty=1 or 0                retries of an empty answer, a turn
	protocol=1 or 0             retries of an answer that breaks its protocol, a turn
	pauses=8 or 0               pauses continued, a turn
	nudge= (none)               output tokens that a run is to use before it may end
	nudges=10                   nudges towards it, a run
	loop_after=3 or 0           the so manieth identical round of calls is not run
	token_budget= (none)        tokens in and out of a run

	window=200000 or 0          the context: tokens of the model's window; 0: not known, so nothing is compacted for its size
	compact_at=167000           tokens from which on it is compacted: window-33000, of a window under 66000 80%
	block_at=177000             tokens from which on nothing is sent: window-23000, of a window under 46000 95%; never under compact_at
	message_bytes=200000        results of one message
	preview=2000                what is left of a result that is too large, in bytes
	snip_over=50 or 0           messages over which steps in the middle are left out
	micro_keep=5 or 0           newest results that micro-compaction keeps
	collapse_over=2000          results over so many bytes are staged to be collapsed
	summary_keep=5 or 0         newest units that a summary keeps
	summary_tokens=4000         max_tokens of a summary
	summary_timeout=2m          for one
	summary_fails=3             failed summaries in a row after which none is tried

	hook_blocks=8               the gates: the N-th block of stop hooks ends the run
	hook_timeout=60s            for one hook
	gate=off                    on: an answer that ends a run must show what was asked for
	gate_blocks=2               the N-th block of that gate ends the run
	goal= (none)                what a judge, a model in a lane of its own, holds the run against
	judge_blocks=8              the N-th block of the judge ends the run
	judge_timeout=60s           for one judgement

	concurrency=4               tools: calls without effects that run at once
	tool_timeout=2m             of a tool
	grace=5s                    how long a stopped tool may take to settle
	result_bytes=50000          a result over so many bytes is kept in a file, or cut
	breaker=3 or 0              failures in a row after which a tool is not run
	breaker_for=5m              for so long
	approve_timeout=2m          for one approval; then it is a denial
	early=on                    off: no call begins before its answer is whole
	spill=on                    off: large results are cut, not kept in files

	idle=60s                    streams: no byte for so long ends an attempt
	progress=5m                 no event for so long ends an attempt
	stream=on                   off: answers come whole
	dump=off                    on: the messages of each request are written to the session's folder
	model=bench-model           the model's name
	system= (none)              the system prompt

Values that contradict each other are refused before anything runs, each at the line since which they do.

DECISION is allow, deny, hard-deny (wins over every other rule, and over every approval), or what whoever is asked
does: ask:yes, ask:no, ask:hang, ask:crash; with @D behind it an answer takes so long (ask:yes@30s). TOOL may be *. The
first permit that fits decides, what none fits is denied; the rules are called permit.1, permit.2 ... in records.

A hook's OUTCOME is allow, block=T (sends the answer back with T), prevent=T or halt=T (end the run), crash (an error),
panic or hang. Each asking of the hook takes the next one, the last repeats. Counted is over all lives of a session:
who was asked before a kill is not asked the same again.

Scenario tools are there without a declaration: append{file,line} adds a line to a file of the workspace, counter{}
counts its own calls. The loop's own todo, tasks and compact are there where a line says so: what is offered is part
of every request. They write nothing into the effect ledger; tasks are files of the session's folder. A declared tool
takes any object and returns a constant. Its behaviours, for every call or (ID: or 'ID#N:' before it) for one:

	takes=D             it takes so long; its effect happens after that
	hangs               it never returns by itself; no effect
	deaf                (whole tool) it does not stop when told to
	panics              it panics, before its effect
	fails=T             it fails with text T, without an effect
	then-fails=T        it has its effect and then fails
	text=T              it returns T
	polls               it returns "NAME: N" where N counts the calls of the tool, in the order in which they were recorded
	big=SIZE            it returns so many bytes (KB is 1000 bytes)
	image=SIZE          beside its text it returns a PNG whose base64 has so many bytes
	idempotent          (whole tool) it may be run again; its effects count once per key
	shell               (whole tool) it takes {"command"}, which is for the gates to read: nothing is executed
	background          (whole tool) the loop does not wait for it: a placeholder answers the call, a note tells its end
	stops-siblings      (whole tool) its failure stops the other calls of the answer
	deferred            (whole tool) it is offered once the tool tool_search has found it

Every effect is one line of the effect ledger, appended and synced by the tool
itself, on a line of its own even behind a torn one.

POINT is a crash point (bench list points), or * for whatever point comes. WHAT is, at tool.* and keep.*, a call by the
script's id (ID#N: its N-th call); at append.*, audit.* and publish.*, a record
kind or KIND:ID; at request.before, stream.event, turn.assembled, backoff,
compact.before and compact.summarised, a lane. The other points take no WHAT. ACTION is one of

	kill                the process dies here: what was written stays
	powercut            and the machine: what was synced stays, and any part of the rest
	abort               the user aborts the run
	panic               a part of our own panics
	error ERRNO         the write or sync at hand fails (ENOSPC, EIO, EDQUOT, EROFS, EFBIG, EACCES, EBADF); at append.*,
	                    audit.*, publish.before and keep.before
	open GATE           a gate of the reply script opens

bytes=N, at append.torn and audit.torn: so much of the write reaches the disk
first. after=D: so long after the hit (kill, powercut, abort, open). An armed
line or a fault that never fires is a bench/not-vacuous finding, which says how
near the run came. A fault that leaves the bytes as they were has not fired.

A fault of HTTP or of the size answers ahead of the script, whose reply stays for
the next request; one of the content, the stream or the time changes the reply
that is due, which is then consumed. What a protocol cannot express is not run
in it, and says so.

# What moves

	run PROMPT          a new session, later its next user turn in the same process; the answer on stdout
	resume [PROMPT]     a new life: the process is gone, the session is opened from disk and goes on
	compact             the user asks for a compaction: the next run or resume begins with it
	! run, ! resume     it must be refused; the reason on stderr

Between two of them the world rests: no time passes, and background work stands
still.

# What is expected

	terminal REASON [DETAIL]    how the last run ended; crashed: no terminal on disk. DETAIL is a regular expression
	effects TOOL=N|A..B...|none the whole effect ledger so far
	requests N | LANE=N...      everything the provider received so far, refused requests too; N may be A..B
	calls ID=STATE...           done failed refused never interrupted unknown
	events SOURCE PATTERN...    the whole ordered list; ! negates; none: an empty list
	transitions NAME...|none    the whole ordered list; ... is any run
	waits D|A..B...|none        the loop's backoffs, in order
	clock A..B                  virtual time since the scenario began
	spent in=N out=N            tokens of all attempts, discarded ones included
	finding RULE RE             a finding of that rule, matching RE, must come; any other is red. RULE may also be what a
	                            replay finds: cassette/differs, cassette/unexpected, cassette/unused
	transcript                  the transcript on stdout, one line a record, without times and hashes: for cmp and -update
	$EVIDENCE/                  transcript.jsonl, audit.jsonl, audit.head, shown.jsonl, effects.jsonl, trace.jsonl,
	                            wire/N-LANE.request and .reply, as they stood after the last line that changed the world:
	                            for grep and cmp

SOURCE is transcript, audit, shown, effects, wire or hooks. A PATTERN is KIND[:ID][~RE], or ... for any run of events; RE
matches the event's JSON line.

	transcript, audit   KIND is a record kind; ID the script's id of the call ('ID#N': its N-th call), the attempt, the
	                    reason of a transition or terminal, the code of a notice, anomaly, quarantine or permission,
	                    the gate of a gate record (hook, tool_hook, completion, judge) or GATE:VERDICT, the stage of a
	                    boundary or STAGE:TRIGGER
	shown               the same, and preview
	effects             KIND is a tool, ID the call
	wire                KIND is a lane, ID the status
	hooks               each asking of a hook: KIND is stop or tool, ID the outcome

In calls, an ID that was called more than once needs its #N. A call whose tool is
running or waits to is in no state yet; a background call is done with its
placeholder, and what became of it is a notice: background_done,
background_failed or background_lost.

An expectation that fails ends the script; the rules are judged all the same.

stdout is the last committed text, whatever the terminal; errors go to stderr.

# From testscript

cd, chmod, cmp, cmpenv, cp, env, exec, exists, grep, mkdir, mv, rm, stderr, stdin, stdout, symlink, unix2dos and
unquote are testscript's, kept inside the work directory: paths do not leave it, links do not point upward, and exec
runs only a program that lies there, so that the file shows all it does. (What such a program does is its own: read a
stranger's scenario for exec lines first.) kill, wait, stop, skip, ttyin and ttyout are refused.

# Not built yet

agent, record; the tool behaviour checks; the action signal. Each is refused by
name.
*/
package scenarios
