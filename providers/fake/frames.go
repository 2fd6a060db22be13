package fake

import "encoding/json"

// framer writes what surrounds the events of a stream, which is the same in all
// protocols.
type framer struct {
	b       *builder
	newline string
}

// newFramer returns a framer with the line ends that the script wants, or else
// the API's own.
func newFramer(b *builder, a answering, own string) framer {
	if a.newline != "" {
		own = a.newline
	}
	return framer{b, own}
}

// begin and finish write what surrounds an event's JSON: `event:` and `data:`
// lines and the empty line.
func (f framer) begin(name string) {
	if name != "" {
		f.b.put("event: ", name, f.newline)
	}
	f.b.put("data: ")
}

func (f framer) finish() {
	f.b.put(f.newline, f.newline)
	f.b.event()
}

// event writes an event whose JSON is known.
func (f framer) event(name, data string) {
	f.begin(name)
	f.b.put(data)
	f.finish()
}

func (f framer) comment(text string) {
	f.b.put(": ", text)
	f.finish()
}

func (f framer) raw(bytes string) {
	f.b.put(bytes)
	f.b.event()
}

func (framer) serverResult(string, string, string) {} // where the API has no place for it, it was refused before

func (framer) end() {}

// typeIn is the type that an event's JSON says it has, "" if none.
func typeIn(data string) string {
	var typed struct{ Type string }
	_ = json.Unmarshal([]byte(data), &typed) // no object, no type: the event then has no name
	return typed.Type
}
