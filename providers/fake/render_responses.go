package fake

import "strings"

// responsesStream writes an answer as events. Every block is an output item; the
// stop reason is in the event that ends the answer.
type responsesStream struct {
	framer
	response
	seq int // the next event's number
}

// send writes an event; members are what it has besides its type and number.
func (s *responsesStream) send(kind string, members func()) {
	s.begin(kind)
	s.b.put(`{"type":"`, kind, `"`)
	members()
	s.b.put(`,"sequence_number":`)
	s.b.int(s.seq)
	s.b.put(`}`)
	s.seq++
	s.finish()
}

// about writes an event of the last item; index names the part that it is about,
// "" for the whole item.
func (s *responsesStream) about(it *responseItem, kind, index string, members func()) {
	s.send(kind, func() {
		s.b.put(`,"item_id":`)
		s.b.quote(it.id)
		s.place()
		if index != "" {
			s.b.put(`,"`, index, `":0`)
		}
		members()
	})
}

// place writes where the last item stands.
func (s *responsesStream) place() {
	s.b.put(`,"output_index":`)
	s.b.int(len(s.items) - 1)
}

// member writes a member that is a string.
func (s *responsesStream) member(name, text string) func() {
	return func() {
		s.b.put(`,"`, name, `":`)
		s.b.quote(text)
	}
}

func (s *responsesStream) added(it *responseItem) {
	s.send("response.output_item.added", func() {
		s.place()
		s.b.put(`,"item":`)
		it.put(s.b, "in_progress")
	})
}

func (s *responsesStream) done(it *responseItem) {
	it.closed = true
	s.send("response.output_item.done", func() {
		s.place()
		s.b.put(`,"item":`)
		it.put(s.b, "completed")
	})
}

// whole is the response object, as a member.
func (s *responsesStream) whole(status, why string, failed *wireError) func() {
	return func() {
		s.b.put(`,"response":`)
		s.put(s.b, status, why, failed)
	}
}

func (s *responsesStream) open() {
	s.send("response.created", s.whole("in_progress", "", nil))
	s.send("response.in_progress", s.whole("in_progress", "", nil))
}

func (s *responsesStream) text(deltas []string, closed bool) {
	s.message(s.say(strings.Join(deltas, ""), false), deltas, "response.output_text", "text", closed)
}

func (s *responsesStream) refusal(text string) {
	if text != "" {
		s.refused = true
		s.message(s.say(text, true), []string{text}, "response.refusal", "refusal", true)
	}
}

// message writes a message of one part.
func (s *responsesStream) message(it *responseItem, deltas []string, kind, member string, closed bool) {
	s.added(it)
	part := func(kind, text string) {
		s.about(it, kind, "content_index", func() {
			s.b.put(`,"part":`)
			it.part(s.b, text)
		})
	}
	part("response.content_part.added", "")
	for _, d := range deltas {
		s.about(it, kind+".delta", "content_index", s.member("delta", d))
	}
	if closed {
		s.about(it, kind+".done", "content_index", s.member(member, it.text))
		part("response.content_part.done", it.text)
		s.done(it)
	}
}

func (s *responsesStream) think(deltas []string, sig string, closed bool) {
	it := s.thought(strings.Join(deltas, ""), sig)
	s.added(it)
	part := func(kind, text string) {
		s.about(it, kind, "summary_index", func() {
			s.b.put(`,"part":`)
			it.summary(s.b, text)
		})
	}
	part("response.reasoning_summary_part.added", "")
	for _, d := range deltas {
		s.about(it, "response.reasoning_summary_text.delta", "summary_index", s.member("delta", d))
	}
	if closed {
		s.about(it, "response.reasoning_summary_text.done", "summary_index", s.member("text", it.text))
		part("response.reasoning_summary_part.done", it.text)
		s.done(it)
	}
}

func (s *responsesStream) call(id, name string, pieces []string, _, closed bool) {
	it := s.called(id, name, strings.Join(pieces, ""))
	s.added(it)
	for _, p := range pieces {
		if p != "" {
			s.about(it, "response.function_call_arguments.delta", "", s.member("delta", p))
		}
	}
	if closed {
		s.about(it, "response.function_call_arguments.done", "", s.member("arguments", it.text))
		s.done(it)
	}
}

// stop: the reason waits for the event that ends the answer.
func (s *responsesStream) stop(reason string) { s.reason = reason }

func (s *responsesStream) close() {
	status, why := s.status()
	s.send("response."+status, s.whole(status, why, nil))
}

func (s *responsesStream) ping() { s.send("keepalive", func() {}) }

// failure: the API tells an error twice, as an event of its own and as the end
// of the answer.
func (s *responsesStream) failure(typ, message string) {
	e := openaiWords(0, typ, message)
	if e.code == "" {
		e.code = e.typ
	}
	s.send("error", func() {
		s.b.put(`,"code":`)
		s.b.quote(e.code)
		s.b.put(`,"message":`)
		s.b.quote(e.message)
		s.b.put(`,"param":null`)
	})
	s.send("response.failed", s.whole("failed", "", &e))
}

func (s *responsesStream) frame(data string) { s.event(typeIn(data), data) }
