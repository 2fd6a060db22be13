// Package compact keeps a conversation inside the model's window. It decides
// what of a history is left out of the next request; it never changes the
// history, sends nothing and reads no clock: all of it is pure functions over
// sizes.
//
// Describe the conversation as units, ask for a plan, and send what is left:
//
//	edits, summarise, units, tokens := compact.Plan(units, tokens, compact.Defaults())
//	for _, e := range edits {
//		// record e, then show results in e.Calls as PreviewOf or StubOf,
//		// and e.Text where the records e.From up to e.To stood
//	}
//	if summarise {
//		_, _, inner, _ := compact.SummaryRange(units, keep)
//		// render inner with Material, ask a model with SummaryPrompt
//		e, ok := compact.SummaryEdit(units, keep, compact.SummaryText(answer))
//		if ok {
//			ok, why = compact.CheckSummary(answer, called, stop, e.Before, e.After)
//		}
//		if ok {
//			units, tokens = compact.Apply(units, e), tokens-e.Saved()
//		}
//	}
//	if compact.Blocked(tokens, l) {
//		// nothing helps: say so, and send nothing
//	}
//
// When the provider refuses a request for its size all the same, CollapseEdit
// and MediaEdit take what the plan had spared.
//
// A unit is kept or left out whole. A step is one unit with its calls and all
// their results, so no cut parts a call from its result (openclaw/openclaw#15691,
// vellum-ai/vellum-assistant p39919), and a chain of two hundred steps behind
// one prompt can be cut anywhere (E6). A result that no answer came behind is
// never hidden, and never reduced but to its size in one message (E2). What the
// user asked last is never lost.
//
// Apply alone says how units stand after an edit. Units that stand for a
// hidden range come from it and carry what later stages need: which prompts
// survive inside, and how many steps they stand for.
package compact
