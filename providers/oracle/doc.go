// Package oracle holds the codecs of package providers against the vendors' own
// Go SDKs: the same bytes go through both, and what each makes of them is
// compared. It has tests alone, and is a module of its own so that the SDKs weigh
// on nobody else:
//
//	cd providers/oracle && go test ./...
//
// With BENCH_CORPUS it compares every answer of the recordings there as well. No
// test reaches the network: an http.RoundTripper answers with bytes.
//
// Where the two differ, a kind of difference says how, who is right and why
// (kinds_*_test.go, and in prose docs/oracles.md). A kind is a claim about the
// SDK, as exact as the bytes allow: what the codec makes of an answer, changed by
// the kinds that apply, is what the SDK makes of it. So a difference that no kind
// explains is red; and so is a kind that no longer holds, as after an update of an
// SDK, and one that no stream of the module shows.
//
// To add a stream, write it into streams_API_test.go with the kinds that it shows.
// To add a kind, write the stream first; then run
//
//	go test -run TestDocs . -update
//
// which writes docs/oracles.md anew.
package oracle
