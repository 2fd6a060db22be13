// Package anthropic speaks the Messages API: a codec that is exact and strict,
// and a client over net/http that is as small as the codec allows.
//
// Asking a model:
//
//	c := anthropic.New(anthropic.Config{APIKey: os.Getenv("ANTHROPIC_API_KEY")})
//	st, err := c.Stream(ctx, &providers.Request{
//		Model: "claude-sonnet-4-5", MaxTokens: 1024, Stream: true,
//		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}}},
//	})
//
// Reading a stream that came from somewhere else, a recording for example:
//
//	d := anthropic.NewDecoder(file)
//	for {
//		ev, err := d.Next()
//		...
//	}
//
// # What arrives, and how it is told
//
// Events come in the order of the wire, one neutral event for each (a
// message_start that carries content already is told as if it had streamed).
// Nothing is repaired, filled in or hidden; events and deltas that the package
// does not know become Other, with their type's name. Three things need saying:
//
//   - Input. A call's start says "input": {} and holds that place for the deltas:
//     Block.Input is then empty. If something else stands there, it is the input
//     and no delta follows; Block.Input has its raw JSON. The deltas' joined
//     text is the input's raw bytes. A block that *closed* with no byte of input
//     means {}; one that never closed means nothing at all (a real stream ends
//     so when max_tokens comes first). Only the reader of the events knows which
//     it was, so no {} is ever made up here.
//
//   - Usage. The API repeats what it has counted so far, and may leave out what
//     it said before. The Usage of an event is everything known at that point.
//
//   - The end. io.EOF without a MessageStop before it is not success.
//
// # Errors
//
// Every failure is a *providers.Error, classified by package classify: for HTTP
// by Classify; inside a stream an error event is told as a Failure, where only
// the API's error type and text can tell, because the status was 200
// (anthropics/anthropic-sdk-python#1258). Nothing else is read for it: the same
// words in a prompt, a tool's result or an answer are only words (D3). No text
// of an error contains the API key.
package anthropic
