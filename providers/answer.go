package providers

// TextOf joins the text blocks of an answer.
func TextOf(blocks []Block) string {
	text := ""
	for i := range blocks {
		if blocks[i].Kind == Text && blocks[i].Text != "" {
			text += blocks[i].Text
		}
	}
	return text
}

// Plus adds what another answer used; nil is nothing known.
func (u Usage) Plus(v *Usage) Usage {
	if v != nil {
		u.In += v.In
		u.Out += v.Out
		u.CacheRead += v.CacheRead
		u.CacheWrite += v.CacheWrite
	}
	return u
}

// Total is what an answer and its request fill of a window, and count against a
// budget of tokens; nil is 0.
func (u *Usage) Total() int {
	if u == nil {
		return 0
	}
	return u.In + u.CacheRead + u.CacheWrite + u.Out
}
