// Package providers is the neutral protocol between an agent loop and a model
// API: what is asked (Request), what comes back piece by piece (Event), and
// what can go wrong (Error).
//
// A loop asks a Provider for a Stream and reads events until the end:
//
//	st, err := p.Stream(ctx, req)
//	if err != nil { ... } // always a *providers.Error
//	defer st.Close()
//	for {
//		ev, err := st.Next()
//		if err == io.EOF { break } // the bytes ended cleanly; whether the answer did is the reader's to judge
//		if err != nil { ... }      // a *providers.Error
//	}
//
// Codecs (package anthropic and its siblings) turn bytes into events without
// re-ordering, repairing or hiding anything: a stop reason that arrives before
// its tool call is delivered before its tool call, a block that never closes
// never closes.
//
// The package imports nothing of this module.
package providers

import (
	"context"
	"slices"
	"unsafe"
)

// Role says who speaks.
type Role string

const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// BlockKind is the kind of one content block.
type BlockKind string

const (
	Text         BlockKind = "text"
	Thinking     BlockKind = "thinking"
	ToolCall     BlockKind = "call"          // a client-side tool call
	ToolResult   BlockKind = "result"        // the answer to a ToolCall
	ServerCall   BlockKind = "server_call"   // a call that the provider runs itself
	ServerResult BlockKind = "server_result" // the provider's answer to a ServerCall
	Image        BlockKind = "image"
	Opaque       BlockKind = "opaque" // anything else; Raw is sent back unchanged
)

// Block is one content block of a message.
type Block struct {
	Kind BlockKind `json:"kind"`
	// Text of a text or thinking block, or of a result.
	Text string `json:"text,omitzero"`
	// Signature of a thinking block, byte for byte; Gemini signs texts and calls too.
	Signature string `json:"signature,omitzero"`
	// ID is the call's id as the provider wrote it (data, never a file name);
	// on a ToolResult or ServerResult, the id it answers.
	ID   string `json:"id,omitzero"`
	Name string `json:"name,omitzero"`
	// Input of a call: the raw bytes as they arrived. They may be cut, empty or not JSON.
	Input string `json:"input,omitzero"`
	// IsError marks a ToolResult as an error.
	IsError bool `json:"is_error,omitzero"`
	// Open marks a block of an answer whose end never came. It never reaches a wire.
	Open bool `json:"open,omitzero"`
	// Raw is the block's own JSON where the neutral fields cannot carry it
	// (Opaque, ServerResult, Image); it is sent back unchanged. A call has it
	// only where it says more than they do (its caller, its server); it is then
	// sent back with the block's ID and Input in their places.
	Raw string `json:"raw,omitzero"`
	// Images of a ToolResult, behind its text.
	Images []ImageData `json:"images,omitzero"`
}

// Equal reports whether two blocks say the same, field by field. (A block with
// Images cannot be compared by ==.) Strings that are the same memory, as those
// of a conversation that is sent again, compare at once.
func (b *Block) Equal(o *Block) bool {
	return same(b.Text, o.Text) && same(b.ID, o.ID) && same(b.Name, o.Name) && same(b.Input, o.Input) &&
		same(string(b.Kind), string(o.Kind)) && same(b.Signature, o.Signature) && same(b.Raw, o.Raw) &&
		b.IsError == o.IsError && b.Open == o.Open &&
		len(b.Images) == len(o.Images) && (len(b.Images) == 0 || slices.Equal(b.Images, o.Images))
}

// same is a == b, without a call where nothing has to be read.
func same(a, b string) bool {
	return len(a) == len(b) && (unsafe.StringData(a) == unsafe.StringData(b) || a == b)
}

// ImageData is one image by value.
type ImageData struct {
	Type string `json:"type"` // media type, e.g. image/png
	Data string `json:"data"` // base64
}

// Message is one message of a conversation.
type Message struct {
	Role   Role    `json:"role"`
	Blocks []Block `json:"blocks"`
}

// Tool is a tool as it is advertised to the model.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`
	// Schema is a JSON Schema object, as JSON text.
	Schema string `json:"schema"`
}

// Lanes: kinds of request a loop makes. A provider may use the lane to tell
// requests apart (a header, in the fake's case); a model never sees it.
const (
	LaneMain    = "main"
	LaneSummary = "summary"
	LaneJudge   = "judge"
	LaneTitle   = "title"
	LaneMemory  = "memory"
	LaneProbe   = "probe"
)

// Request is one question to a model.
type Request struct {
	Lane      string
	Attempt   string // the loop's own name for this call; like Lane, the model never sees it
	Model     string
	System    string
	Messages  []Message
	Tools     []Tool
	MaxTokens int  // always set: the Messages API requires it
	Stream    bool // false asks for one JSON answer; Next then yields the same events

	// OnBytes, when set, is called by the goroutine that calls Next each time
	// bytes of the answer arrive, with their number. It feeds idle timers: a
	// keep-alive comment counts (openai/codex#31539).
	OnBytes func(n int)
}

// Usage counts tokens. Streams report it cumulatively: a later value of a
// field replaces an earlier one. A field that was never reported is 0.
type Usage struct {
	In         int `json:"in,omitzero"`
	Out        int `json:"out,omitzero"`
	CacheRead  int `json:"cache_read,omitzero"`
	CacheWrite int `json:"cache_write,omitzero"`
}

// EventKind is the kind of one stream event.
type EventKind uint8

const (
	_              EventKind = iota
	MessageStart             // ID, Model, Usage
	BlockStart               // Index, Block: kind, id, name, and what the start carried already (Text, Input, Raw)
	TextDelta                // Index, Text
	ThinkingDelta            // Index, Text
	SignatureDelta           // Index, Text
	InputDelta               // Index, Text: a piece of a call's input bytes
	BlockStop                // Index
	Stop                     // Text: the raw stop reason; Usage where reported with it
	UsageEvent               // Usage alone
	MessageStop              // the protocol's terminal event
	Ping                     // keep-alive event (comments yield no event)
	Failure                  // Err: an error event inside the stream
	Other                    // Text: the type's name; an event or delta this codec does not know
)

// Event is one thing that happened in a stream. The fields that matter depend
// on Kind. Strings stay valid after the next call of Next.
type Event struct {
	Kind  EventKind
	Index int    // block index as the provider numbered it
	Text  string // see Kind
	ID    string // MessageStart: the message's id
	Model string // MessageStart
	Block *Block // BlockStart
	Usage *Usage // MessageStart, Stop, UsageEvent; nil when not reported
	Err   *Error // Failure
}

// Provider answers requests.
type Provider interface {
	// Stream sends the request and returns when the answer's head has arrived.
	// The error is always a *Error.
	Stream(ctx context.Context, req *Request) (Stream, error)
}

// Stream is one answer being read. It is used by one goroutine.
type Stream interface {
	// Next returns the next event. io.EOF means that the bytes ended cleanly
	// (with or without a MessageStop: the caller must look); any other error
	// is a *Error. After an error Next returns the same error again.
	Next() (Event, error)
	Close() error
}
