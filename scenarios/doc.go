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
	protocol anthropic          the wire protocol; the others are not built yet
	realkill [CASE]...          every variant (of those cases) once more, with each kill a real SIGKILL of a child process

These lines come first. Variants are called FILE/CASE/VAR=VALUE/realkill.

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
	session NAME                from here on a fresh session with ledgers, tools, limits and a provider line of its own; the
	                            workspace is shared
	history FILE                a fresh session whose records are those of FILE, one JSON record a line, without
	                            seq, time, session and audit; the journal writes it, so its ledgers are sound
	damage FILE line=N nul|drop, line=N from=T to=T, cut=N, append=T
	                            between two lives: FILE is transcript, audit, head or effects. Line N becomes NULs, is
	                            dropped, or has its first T replaced; the last N bytes are lost; T is glued on ("..." with
	                            Go escapes). Damage that changes nothing is an error
	at POINT [WHAT] [N] ACTION [bytes=N] [after=D]
	                            arm: at the N-th hit from here (default 1), once

Config keys and defaults: max_turns=50, max_tokens=8000, retries=10, empty=1, protocol=1, pauses=8 (each 0: none),
idle=60s, progress=5m, concurrency=4, tool_timeout=2m, grace=5s, result_bytes=50000, stream=on, model=bench-model,
system= (none).

Scenario tools are there without a declaration: append{file,line} adds a line to a file of the workspace, counter{}
counts its own calls. A declared tool takes any object and returns a constant. Its behaviours, for every call or
(ID: or 'ID#N:' before it) for one:

	takes=D             it takes so long; its effect happens after that
	hangs               it never returns by itself; no effect
	deaf                (whole tool) it does not stop when told to
	panics              it panics, before its effect
	fails=T             it fails with text T, without an effect
	then-fails=T        it has its effect and then fails
	big=SIZE            it returns so many bytes (KB is 1000 bytes)
	idempotent          (whole tool) it may be run again; its effects count once per key

Every effect is one line of the effect ledger, appended and synced by the tool
itself, on a line of its own even behind a torn one.

POINT is a crash point (bench list points), or * for whatever point comes. WHAT is, at tool.*, a call by the
script's id (ID#N: its N-th call); at append.*, audit.* and publish.*, a record
kind or KIND:ID; at request.before, stream.event, turn.assembled and backoff, a
lane. ACTION is one of

	kill                the process dies here: what was written stays
	powercut            and the machine: what was synced stays, and any part of the rest
	abort               the user aborts the run
	panic               a part of our own panics
	error ERRNO         the write or sync at hand fails (ENOSPC, EIO, EDQUOT, EROFS, EFBIG, EACCES, EBADF); at append.*,
	                    audit.* and publish.before
	open GATE           a gate of the reply script opens

bytes=N, at append.torn and audit.torn: so much of the write reaches the disk
first. after=D: so long after the hit (kill, powercut, abort, open). An armed
line that never fires is a bench/not-vacuous finding, which says how near the
run came.

# What moves

	run PROMPT          a new session, later its next user turn in the same process; the answer on stdout
	resume [PROMPT]     a new life: the process is gone, the session is opened from disk and goes on
	! run, ! resume     it must be refused; the reason on stderr

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

SOURCE is transcript, audit, shown, effects or wire. A PATTERN is KIND[:ID][~RE], or ... for any run of events; RE
matches the event's JSON line.

	transcript, audit   KIND is a record kind; ID the script's id of the call ('ID#N': its N-th call), the attempt, the
	                    reason of a transition or terminal, the code of a notice, anomaly or quarantine
	shown               the same, and preview
	effects             KIND is a tool, ID the call
	wire                KIND is a lane, ID the status

In calls, an ID that was called more than once needs its #N. A call whose tool is
running or waits to is in no state yet.

An expectation that fails ends the script; the rules are judged all the same.

stdout is the last committed text, whatever the terminal; errors go to stderr.

# From testscript

cd, chmod, cmp, cmpenv, cp, env, exec, exists, grep, mkdir, mv, rm, stderr, stdin, stdout, symlink, unix2dos and
unquote are testscript's, kept inside the work directory: paths do not leave it, links do not point upward, and exec
runs only a program that lies there, so that the file shows all it does. (What such a program does is its own: read a
stranger's scenario for exec lines first.) kill, wait, stop, skip, ttyin and ttyout are refused.

# Not built yet

agent, record, permit, hook, fault; protocols other than anthropic; tool behaviours image and checks, and the tool
todo; the action signal; the points hook and compact.*; events hooks; the config keys window, escalate, continue,
collapse_over, compact_at, summary_keep, gate, gate_blocks, hook_blocks, loop_after and fallback. Each is refused by
name.
*/
package scenarios
