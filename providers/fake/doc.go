// Package fake is a model provider that does as it is told: a reply script says
// what each request is answered with, byte for byte, and how the connection
// ends. It speaks four protocols, and knows what each API refuses, and refuses it.
//
//	s, err := fake.Parse("replies.script", src, fake.ParseOptions{})
//	srv := fake.NewServer(s, fake.Options{})
//	client := &http.Client{Transport: srv.Transport()} // in memory, or:
//	http.Serve(listener, srv.Handler())                // over a socket
//	...
//	srv.Findings()  // what the script expected and did not get
//	srv.Unused()    // replies that nobody asked for
//	srv.Exchanges() // the wire log
//
// The package knows nothing of any agent loop. It opens no file (@FILE is read
// by the caller) and listens nowhere.
//
// # The reply script
//
// One line, one thing. Column 1 starts a reply or the window; indented lines
// belong to the reply above them.
//
//	# The model calls a tool, is overloaded once, and answers.
//	reply
//	    text "I look."
//	    call t1 append {"file":"notes.txt","line":"hello"}
//	reply 529 retry-after=2
//	reply
//	    expect results == t1
//	    expect result.t1 !~ error
//	    text "Done."
//
// A # begins a comment at the beginning of a line or after a space, outside
// strings and JSON. No line continues on the next.
//
// Values are "..." with Go's escapes, '...' as it stands, either of them with
// *N for N times, and @FILE for the bytes of a file.
//
// ${NAME} is replaced before a line is read, by the variables of the case that
// runs. ${n} stays, and counts the repetitions of the reply, or of the line if
// the line repeats itself. To send such bytes, write \x24{ in a string and
// \u0024{ in JSON.
//
// [NAME] or [!NAME] before a line keeps it only in some cases; several must
// all hold. Before `reply` it covers the reply's lines.
//
// # Replies
//
//	reply [STATUS TYPE ["MSG"]] [lane=L] [times=N|A..B] [retry-after=X]
//
// Without a STATUS the answer is a stream with status 200, or one JSON message
// where the request asks for no stream. With an error STATUS it is the
// provider's own envelope; TYPE and MSG may be left out where there is only one
// type for the status (400, 401, 403, 404, 413, 429, 500, 504, 529).
//
// Lanes are kinds of request: main, summary, judge, title, memory, probe. A
// client names its lane in the header X-Bench-Lane; without one it is main. The
// replies of a lane are given strictly in order. times=A..B may be given B
// times and must be asked for A times. A request too many is answered with
// status 500 and the type bench_unexpected_request, and is a finding.
//
//	window tokens=N body=SIZE
//
// The window, one for a script, refuses larger requests as the real API does, in
// its words, and consumes no reply: more than N tokens with 400 ("prompt is too
// long: ..."), more than SIZE bytes with 413 (without it, more than 32 MiB). Either part may
// be left out. A KB is 1000 bytes. Tokens are estimated: one for each 4 bytes of
// text in the system prompt, the messages (names and inputs of calls, and
// results, included) and the tools (name, description, schema), rounded up
// once; images count by the API's own formula, width*height/750 after scaling
// to at most 1568 pixels and 1600 tokens.
//
// A prompt that fits may leave no room for the max_tokens of its request: if
// both together are more than N, the answer is 400 ("input length and
// `max_tokens` exceed context limit: A + B > N, ..."). So a client in a small
// window must ask for little. Models from Claude 4.5 on, and older ones with the
// beta model-context-window-exceeded, take such a request; then the script's
// reply is given, and `stop context_window` in it is what the API would do.
//
// # Expectations
//
//	expect PATH OP VALUE
//
// An expectation that does not hold is a finding; the reply is given all the
// same. OP is one of == != < <= > >= ~ !~ present absent; ~ is a regular
// expression, < and the like compare numbers. PATH is one of
//
//	model, max_tokens, bytes (of the body), body (its text), tools (their names)
//	messages.N.role, messages.N.text   N from 0; negative from the end; * for each
//	results                            ids of the results behind the last assistant message
//	result.ID, result.ID.error         text of a result; true or false
//	call.ID.input.P                    into the input that a call was sent back with
//	wire.P, header.H                   the request as it is; an array or object is its JSON
//
// With *, a positive OP wants one value for which it holds, and != !~ absent
// want none. Ids are the script's, also where a loop sends others; of several
// results with one id the last counts, ID#N is the N-th.
//
// # What is answered
//
//	text "S"...                      a block, closed; each string is one delta
//	think "S"... [sig=S]             with a signature made up, given, or (sig="") without one
//	call ID NAME JSON|'bytes'...     JSON in a few pieces, or each string of bytes as one; unchecked
//	cut-text "S"...                  never closed, like
//	cut-think "S"...                 this, and
//	cut-call ID NAME JSON|'bytes'... this
//	server-call ID NAME JSON|'bytes'...
//	server-result ID JSON            answers a server call of this or an earlier reply
//	refusal "S"                      text, and the stop reason refusal
//	stop REASON                      the stop reason, where it is written
//	usage in=N out=N [cache_read=N] [cache_write=N]
//	ping
//	comment "S"                      a comment of the stream
//	error TYPE "MSG"                 an error inside the stream
//	raw "bytes"...                   no framing
//	frame JSON                       one event of one protocol
//
// Reasons are end_turn, tool_use, max_tokens, stop_sequence, pause_turn,
// refusal and context_window, mapped to each protocol's words; none (no reason
// is sent) and null; any other word is sent as it is. Without a stop line the
// reason is tool_use if there are calls, else end_turn. Without a usage line
// the answer reports 100 tokens in and 10 out.
//
//	head [none]                      the protocol's opening is here, or nowhere
//	tail [none]                      its closing
//
// The opening is implied before the first line. The stop reason, unless one is
// written, and the closing are implied behind the last line; so `stop tool_use`
// before a call sends the reason first and still closes behind the call. An
// error and an ending imply nothing behind themselves.
//
// # How it travels
//
//	delay D                          D passes
//	gate NAME                        until Server.OpenGate(NAME)
//	chunk events|whole|N|at N        the pieces the bytes come in: an event each, all at
//	                                 once, N bytes each, or one boundary after byte N
//	newline lf|cr|crlf               the line ends of the stream
//	eof [short=N]                    a clean end, after dropping the last N bytes
//	cut                              closed inside the body: an unexpected EOF
//	reset                            ECONNRESET
//	hang [D]                         silence until the client goes; after D, a cut
//
// Most lines take after=D (wait before it) and times=N (N times) at their end:
// `ping times=4 after=15s`. The pieces of a body are counted over all of it; a
// wait is a boundary too. The head of the answer goes out with the first byte
// (`raw ""` sends it alone): an ending before that, behind `head none`, is a
// connection that ends without an answer.
//
//	header NAME VALUE                a header of the answer, in place of the usual one
//	body "T"...                      a plain HTTP answer, each string one piece
//
// A body is no stream: with it, and with an error STATUS, only headers, waits,
// chunk and endings make sense.
//
// # Requests that ask for no stream
//
// The same script answers a request without "stream": true with one JSON
// message. It holds the blocks, closed or not; the waits come before it; head,
// tail, ping and comment mean nothing. An error becomes an HTTP error. eof, cut,
// reset and hang happen before a byte of it is sent, because it is sent when it
// is complete; eof short=N sends it without its last N bytes. What only a stream
// can carry (raw, frame, an input that is not JSON) is a finding with its line.
//
// # Protocols
//
// A request is answered in the protocol that its path asks for (see Protocols):
//
//	anthropic   .../v1/messages
//	chat        .../chat/completions
//	responses   .../responses
//	gemini      .../models/M:streamGenerateContent, :generateContent
//
// The script is the same. What it means is what Anthropic's codec reads from it;
// in the others it is written as their own servers write it:
//
//   - Chat has chunks, the tokens in one of their own where the request asks for
//     them (stream_options), and [DONE]. Thoughts are reasoning_content, refusals
//     have their channel.
//   - In Responses each block is an output item, a signature is encrypted_content,
//     and stop reason, tokens and closing are one event, the last.
//   - In Gemini calls come whole, in one part, an id only where there is one; STOP
//     is both end_turn and tool_use; there is no closing but the end of the bytes.
//     Its lines end in CRLF. Without alt=sse a stream is one array.
//   - A ping is a comment where the API has no event for it.
//   - Error types are Anthropic's words, and become each API's own; a status and a
//     message stay as they are written. So do stop reasons that are not neutral
//     words.
//
// Not every protocol can carry every script: Chat does not say where a block
// ends, Responses says a stop reason only at the end, nobody but Anthropic pauses
// a turn. Inexpressible names the first line that a protocol cannot carry, and
// why; a server that is asked for it all the same answers with status 500 and the
// type bench_unexpected_request, which is a finding. Nothing is left out silently.
// A script that is written for one protocol alone (ParseOptions.Protocol) may have
// its frames, raw bytes and wire paths.
//
// # After a kill
//
// BeginLife says that the process which asked was killed. A reply of the main
// lane is spent when a later request shows it, one of another lane when it was
// delivered whole. The first request of the new life continues the main lane
// behind the last reply that it contains; if none was committed, at the first;
// if a compaction removed them, where the lane stood. If the provider lived in
// the killed process, its log comes out through a pipe (NewSinkWriter,
// ReadSink) and goes into another server of the same script (Server.Adopt).
//
// # Legality
//
// CheckRequest refuses what the API of a protocol refuses, with its status and
// words. For the Messages API (CheckMessages) that is a call without its result
// or a result without its call, results that are not first in their message, an
// id twice, empty content, a missing max_tokens, an image of more than 5 MB, of
// another kind, or in the result of a tool that failed, and more; for the others
// it is what their own rules are: tool messages directly behind their calls, an
// output for each call_id, as many results as calls. Images are not decoded
// beyond their size, so one that cannot be processed is let pass. Beside this
// Level (API) there is a second (Strict), for what the real API lets pass and our
// own loop must not send: two messages of one role in a row, the model's words
// first, an id again in a later turn, an input that is no object.
// Options.Legality chooses which of them a Server refuses.
package fake
