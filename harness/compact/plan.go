package compact

// Plan is the pipeline before a request, in its order: budget, snip, micro,
// summary; the blocking check (Blocked) comes behind, on what they left (E1).
// tokens is the estimate for the whole request, system text and tools
// included, and shrinks by what the edits save. The budget is always held; the
// others act only while tokens are at CompactAt or over, each on the output of
// the one before. Whether a summary is needed is only told, since it costs a
// request of its own. units2 are units as they stand after the edits; without
// any they are the same.
func Plan(units []Unit, tokens int, l Limits) (edits []Edit, summarise bool, units2 []Unit, tokens2 int) {
	for _, stage := range [...]Stage{Budget, Snip, Micro} {
		if stage != Budget && !pressed(tokens, l) {
			break
		}
		if e, ok := ask(stage, units, tokens, l); ok {
			edits = append(edits, e)
			units, tokens = Apply(units, e), max(tokens-e.Saved(), 0)
		}
	}
	if pressed(tokens, l) {
		_, _, _, summarise = SummaryRange(units, l.SummaryKeep)
	}
	return edits, summarise, units, tokens
}

func ask(stage Stage, units []Unit, tokens int, l Limits) (Edit, bool) {
	switch stage {
	case Budget:
		return BudgetEdit(units, l)
	case Snip:
		return SnipEdit(units, l)
	}
	return MicroEdit(units, tokens, l)
}

func pressed(tokens int, l Limits) bool { return l.CompactAt > 0 && tokens >= l.CompactAt }

// Blocked reports whether a request of so many tokens is not to be sent: it
// would only be refused. Ask it when nothing can compact any more.
func Blocked(tokens int, l Limits) bool { return l.BlockAt > 0 && tokens >= l.BlockAt }
