// Package gemini speaks generateContent and streamGenerateContent, Google's API
// of the Gemini models: a codec that is exact and strict, and a client over
// net/http that is as small as the codec allows.
//
// Asking a model:
//
//	c := gemini.New(gemini.Config{APIKey: os.Getenv("GEMINI_API_KEY")})
//	st, err := c.Stream(ctx, &providers.Request{
//		Model: "gemini-2.5-flash", MaxTokens: 1024, Stream: true,
//		Messages: []providers.Message{{Role: providers.User, Blocks: []providers.Block{{Kind: providers.Text, Text: "Hi"}}}},
//	})
//
// Reading a stream that came from somewhere else, a recording for example:
//
//	d := gemini.NewDecoder(file)
//	for {
//		ev, err := d.Next()
//		...
//	}
//
// Reading a request, as a server does; what its body does not say stands in its
// path:
//
//	method, ok := gemini.ReadPath(r.URL.Path + "?" + r.URL.RawQuery)
//	req, err := gemini.DecodeRequest(body)
//
// # What arrives, and how it is told
//
// Events come in the order of the wire. Nothing is repaired, filled in or hidden:
// what the package does not know becomes Other, with its name. The neutral
// protocol numbers an answer's blocks; this API does not, so blocks are numbered
// in the order in which they begin.
//
//   - Where a block ends. A part is never said to be over. Words go on as long as
//     each chunk begins with more of them, and are over when something else comes,
//     or a signature, or a finish reason. A stream that ends with none of these
//     leaves its last block open, which is to say cut.
//
//   - Calls come whole, and end where they begin. Where they come in pieces
//     (Vertex), each piece is told as the JSON that it adds, and a call whose last
//     piece said that more would come never ends. A call without arguments has no
//     byte of input, which in a block that closed means {}. Most calls have no id:
//     then Block.ID is empty, and giving one is the reader's business.
//
//   - Signatures (thoughtSignature) belong to the part that they came with, a
//     call, words or a thought, and go back on it byte for byte. One that comes
//     alone, behind a call, is a block of its own, Opaque.
//
//   - The stop reason is told in the neutral words: STOP is end_turn, also of an
//     answer that calls tools (it decides nothing about them), MAX_TOKENS is
//     max_tokens, SAFETY and its like are refusal, and so is a prompt that was
//     blocked. Any other word (MALFORMED_FUNCTION_CALL, UNEXPECTED_TOOL_CALL,
//     OTHER ...) is told as it is. An Other in front of it has the raw word where
//     refusal hides it, and what the server says about it.
//
//   - Usage is everything known at that point. In is without what came from a
//     cache, which is told beside it; Out is with the thoughts.
//
//   - The end. The API has no terminal event: an answer is over when its bytes
//     end, a finish reason has come, and no words came behind it. That is when
//     MessageStop is told; io.EOF without one is not success. A finish reason alone is not the end: one
//     comes behind each round of the provider's own tools (0xPlaygrounds/rig#2328),
//     with every chunk of old models (BerriAI/litellm#2195), and in front of all
//     words where a gateway puts it (router-for-me/CLIProxyAPI#5651).
//
// # Errors
//
// Every failure is a *providers.Error, classified by package classify: for HTTP
// by Classify; inside a stream, or under status 200, by the words and the code
// of the error object alone (D3). The key goes into a header, never into a URL,
// and no text of an error contains it.
package gemini
