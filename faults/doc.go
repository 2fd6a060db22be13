/*
Package faults is the catalogue: every way to break a run, as named values that
compose and print themselves.

A line names one, as it stands in a scenario behind `fault`:

	l, err := faults.Parse([]string{"retry-after", "for=30s", "first=2"})
	fmt.Println(l)      // retry-after for=30s first=2
	fmt.Println(l.Fault.Summary)

A Set holds the lines of one conversation. It is a fake.Changer, so that an
answer of the fake provider, or of a recording, goes through all of them, in the
order in which they were armed:

	set := &faults.Set{}
	a := set.Arm(l, "file:3")
	srv := fake.NewServer(script, fake.Options{Changer: set})
	...
	a.Fired()  // 0: nothing was proved by it
	a.Near()   // and why

# Lines

	NAME [KEY=VALUE]... [nth=N|first=N|every] [lane=L]

Without nth, first and every it breaks the first request that comes from there
on in lane main; requests that another fault answers count, too. A fault of a
tool counts the calls of its tool. Faults that look at every request by
themselves (quotas, windows) take neither.

A fault fires when it changes something. One that leaves the bytes as they were
has not fired, whatever it was to do; nor has one of a tool whose outcome another
one forestalls (Deed.Did), or that makes of an output what it is already.

# Layers

A fault works in one place. Ahead of everything it answers a request by itself,
and consumes no reply (layers http and size). In the content it changes what a
reply says, before a protocol has a part in it. In the stream it changes bytes,
pieces, waits and endings of a finished answer: it knows the four protocols by
what their events look like, so it also works on a recording. A fault of a tool
changes what the tool does. A fault that a protocol cannot express says so
(Line.Unfit).

# The list

All returns the list. It is closed: a fault without a layer, a summary, a rule
that can go red, or a shipped scenario, panics here, before anything runs.
Adding one is a value in the file of its layer and a line in a scenario.

A name of AgentChaos (arXiv:2608.06790) stands beside a fault that does for real,
in bytes, status and silence, what theirs says in the text of an answer. Its
random strategy (intermittent) has no counterpart: nth enumerates.
*/
package faults
