package invariants

import (
	"github.com/harnessbench/bench/evidence"
	"github.com/harnessbench/bench/providers/fake"
)

// refusal is the sentence with which a request of the Messages API would be
// refused; "" when it would not. What is legal is decided in one place, the
// fake's, and checked against recordings there. What the real API takes but a
// loop of ours must not send is held against a loop that keeps a transcript,
// not against a foreign agent.
func (c *Case) refusal(body []byte) string {
	switch r := fake.CheckMessages(body); {
	case r == nil:
		return ""
	case r.Level != fake.Strict:
		return "the API answers " + r.Error()
	case c.ev.Has(evidence.KindTranscript):
		return "the API takes it today, but " + r.Message
	}
	return ""
}
