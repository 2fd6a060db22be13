// Package cassettes reads recordings of a model API, plays them to an agent
// loop, and makes new ones. The recordings of this project lie in the same
// folder; README.md there says how each was made.
//
// To drive a loop from a recording, put a player where the network would be:
//
//	c, err := cassettes.Open("cassettes/tool-loop.yaml")
//	if err != nil { ... } // one sentence: file, line, what is wrong
//	p := c.Player(cassettes.Options{})
//	client := &http.Client{Transport: p.Transport()}
//	... run the loop ...
//	for _, f := range p.Findings() {
//		fmt.Println(f) // cassettes/tool-loop.yaml:57: cassette/differs: $.messages[2]...: recorded "a", got "b"
//	}
//
// A player is strict. Interactions are played in the recorded order, lane by
// lane (the header X-Bench-Lane, "main" without it), each once. A request must
// be the recorded one: the same method, path and query, and the same JSON,
// whatever the order of its keys and its white space. Nothing is ignored that
// the caller did not name in Options.Ignore; matching by content is opt-in.
// There are three findings, and after the first no other is reported, since
// everything behind it would only follow from it:
//
//	cassette/differs     a request is not the recorded one; the first difference is named
//	cassette/unexpected  a request came after the last interaction of its lane
//	cassette/unused      the run is over and an interaction was never played
//
// The request that made a finding, and every later one, is answered with status
// 400, so that a loop ends; the answer names the finding in its message and in
// the header X-Bench-Finding. After a kill, BeginLife lets the recording go on
// where the next life stands.
//
// To record, put a Recorder between the client and the network:
//
//	rec := cassettes.NewRecorder(http.DefaultTransport, cassettes.Recording{Secrets: []string{key}})
//	client := &http.Client{Transport: rec}
//	... run the loop ...
//	err := rec.Save("cassettes/mine.yaml")
//
// Files are those of github.com/dnaeon/go-vcr/v2 (version 1), which any tool for them can
// read; version 2 (go-vcr v3 and v4) is read as well, never written. Only the
// library's cassette type, format and filter type are used: its player answers from any
// place in the file, records silently when a file is missing, and does not
// tell what it left unplayed.
package cassettes
