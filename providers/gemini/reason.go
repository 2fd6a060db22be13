package gemini

import (
	"github.com/harnessbench/bench/providers"
	"github.com/harnessbench/bench/providers/internal/strict"
)

// finish tells a finish reason. Nothing follows from it for calls: STOP is the
// reason of every answer that calls tools.
func (c *codec) finish(v, message []byte) error {
	raw, err := c.enum("finishReason", v)
	if err != nil || raw == "" || raw == "FINISH_REASON_UNSPECIFIED" || raw == "0" {
		return err
	}
	said, err := c.arena.TextOr("finishMessage", message)
	if err != nil {
		return err
	}
	c.close()
	reason := neutral(raw)
	if reason == "refusal" || reason == raw {
		// What the neutral word hides, and what the server says of a word of its own.
		c.note("finishReason "+raw, said)
	}
	c.stop(reason)
	return nil
}

// feedback tells that the prompt was refused: then there are no candidates, and
// nothing else says so.
func (c *codec) feedback(v []byte) error {
	if strict.Absent(v) {
		return nil
	}
	if !strict.IsKind(v, '{') {
		return strict.Mistyped("promptFeedback", v, "an object")
	}
	raw, err := c.enum("promptFeedback.blockReason", strict.Member(v, "blockReason"))
	if err != nil || raw == "" || raw == "BLOCK_REASON_UNSPECIFIED" || raw == "0" {
		return err
	}
	said, err := c.arena.TextOr("promptFeedback.blockReasonMessage", strict.Member(v, "blockReasonMessage"))
	if err != nil {
		return err
	}
	c.close()
	c.note("blockReason "+raw, said)
	c.stop("refusal")
	return nil
}

func (c *codec) note(what, said string) {
	if said != "" {
		what += ": " + said
	}
	c.other(what)
}

func (c *codec) stop(reason string) {
	c.stopped = true
	c.add(providers.Event{Kind: providers.Stop, Text: reason})
}

// enum reads a word, or the number in its place that Google's older clients ask
// for ($alt=json;enum-encoding=int).
func (c *codec) enum(what string, v []byte) (string, error) {
	if len(v) > 0 && v[0]-'0' <= 9 {
		if _, err := strict.Whole(what, v); err != nil {
			return "", err
		}
		return c.arena.Copy(v), nil
	}
	return c.arena.TextOr(what, v)
}

// neutral is the word of the neutral protocol for a finish reason. The numbers
// are those that mean the same in both of Google's APIs; from 6 on they differ
// (10 is MALFORMED_FUNCTION_CALL in one, MODEL_ARMOR in the other).
func neutral(raw string) string {
	switch raw {
	case "STOP", "1":
		return "end_turn"
	case "MAX_TOKENS", "2":
		return "max_tokens"
	case "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR", "3", "4", "7", "8",
		"IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION":
		return "refusal"
	}
	return raw
}
