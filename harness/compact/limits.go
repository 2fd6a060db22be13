package compact

// Limits say when a stage acts and what it leaves. They are taken as they are;
// Defaults has the usual ones. A limit named At is reached by the number
// itself, a limit named Over or Bytes only by more.
type Limits struct {
	MessageBytes int // bytes of the newest results together, in one message; <= 0: no limit (default 200,000, E1)
	Preview      int // bytes of a result that stay when it is over that (default 2,000, E1)

	CompactAt int // tokens of the request from which stages give up what is old; <= 0: never (default 167,000: a window of 200,000 less 20,000 for the answer and 13,000, E1)
	BlockAt   int // tokens of the request from which it is not sent; <= 0: never (default 177,000: less 20,000 and a buffer of 3,000, E1)

	SnipOver  int // messages (a step counts 2, anything else 1) over which the middle is left out; <= 0: never (default 50, E2)
	SnipFirst int // messages that stay at the beginning (default 3, E2)
	SnipLast  int // messages that stay at the end (default 30: with 46 a long run would snip every other turn, E2)

	MicroKeep int // newest results that stay whole (default 5, E1)
	MicroOver int // bytes over which an older result becomes a stub (default 120, E2)

	CollapseOver int // bytes over which a drain makes a stub of any result that was read (default 2,000: what a preview shows)
	SummaryKeep  int // newest units that a summary does not replace (default 5, E3)
}

// Defaults returns the limits for a window of 200,000 tokens.
func Defaults() Limits {
	return Limits{
		MessageBytes: 200_000, Preview: 2_000,
		CompactAt: 167_000, BlockAt: 177_000,
		SnipOver: 50, SnipFirst: 3, SnipLast: 30,
		MicroKeep: 5, MicroOver: 120,
		CollapseOver: 2_000, SummaryKeep: 5,
	}
}
