package oracle

import (
	"encoding/json"
	"strings"
)

// stream is an answer written by hand, to be as nasty as the field is, and the
// kinds in which codec and SDK differ on it.
type stream struct {
	api   api
	name  string
	body  string
	kinds string // names, with spaces between them; "" where the two agree
}

// named frames events with their names, which are their types.
func named(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		var v struct{ Type string }
		if err := json.Unmarshal([]byte(e), &v); err != nil || v.Type == "" {
			panic("no event: " + e)
		}
		b.WriteString("event: " + v.Type + "\n" + data(e))
	}
	return b.String()
}

// data frames events without names.
func data(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

func lines(ending, body string) string { return strings.ReplaceAll(body, "\n", ending) }

// streams are all the answers written by hand.
func streams() []stream {
	var all []stream
	all = append(all, messagesStreams()...)
	all = append(all, chatStreams()...)
	all = append(all, responsesStreams()...)
	return append(all, geminiStreams()...)
}
