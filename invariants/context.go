package invariants

import (
	"github.com/harnessbench/bench/evidence"
)

func contextRules() []Rule {
	return []Rule{
		{
			Name: "context/pairs", Group: "context", Strength: Must,
			Summary: "What a boundary hides begins and ends between answers: never a call without its outcome or its answer, nor the reverse, nor half of a paused answer; ranges nest or lie apart, and each shortened result is there. " +
				"What comes of it on the wire is wire/legal's to judge.",
			Why:     "A result whose call was summarised away makes every later request illegal, and so the session dead for good (E2, E4, A10, J6; field reports 3.17 to 3.20).",
			Reports: []string{"openclaw/openclaw#15691", "earendil-works/pi#4570", "zeroclaw-labs/zeroclaw#5853", "vellum-ai/vellum-assistant#39919", "anthropics/claude-code#14173"},
			Example: "The last ten messages are kept, and the first of them is the result of a call that is not.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Applies: hasBoundaries,
			Check:   contextPairs,
		},
		{
			Name: "context/shrinks", Group: "context", Strength: Ours,
			Summary: "Each boundary takes something off the request, a summary at least a tenth, and says how much. A summary is a text that a model wrote for it, whole: one that is empty, a call, cut or failed changes nothing. " +
				"After so many failed ones in a row none is asked for any more in the session.",
			Why: "A compaction that removes nothing is asked for again at once, hundreds of times; an empty summary is a lost conversation (E7, D2, D14; field reports 3.01, 3.04, 3.06, 3.10 to 3.13).",
			Reports: []string{
				"google-gemini/gemini-cli#15225", "NousResearch/hermes-agent#53008", "docker/docker-agent#3470", "fabro-sh/fabro#629", "Prism-Shadow/penguin-harness#84",
				"anthropics/claude-code#24179", "Kilo-Org/kilocode#13983",
			},
			Example: "The model answers the request for a summary with white space, and that replaces the conversation.",
			Needs:   []evidence.Kind{evidence.KindTranscript},
			Check:   contextShrinks,
		},
		{
			Name: "context/keeps-request", Group: "context", Strength: Ours,
			Summary: "The run's own prompt stands word for word in every main request of the run, whatever was compacted. A result that the model has not seen is neither hidden nor made a stub; the transcript keeps every result as it was first sent.",
			Why:     "A model that no longer sees what was asked does something else, and a result that was dropped unread was paid for in vain (E1, E2, E6; invariant 12 of the mechanisms).",
			Reports: []string{"openclaw/openclaw#120663", "anomalyco/opencode#27924", "zed-industries/zed#63237", "anthropics/claude-code#9501"},
			Example: "The user's request is the oldest message, and the cut is made in front of the last ten.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
			Check:   keepsRequest,
		},
		{
			Name: "context/order", Group: "context", Strength: Flow,
			Summary: "Before a request the stages act in order: budget, snip, micro, summary. Results are collapsed, images left out and a summary is made for a refusal only directly behind a request that was refused for its size, and for the reason it was refused. " +
				"A request as large as the blocking limit is not sent.",
			Why:     "A stage that does not see what the one before it left summarises what a stub would have saved, and a request that is known to be too long is a refusal that was paid for (E1, D1, D2; field report 3.14).",
			Reports: []string{"earendil-works/pi#4642", "can1357/oh-my-pi#271", "OpenHands/OpenHands#10873", "google-gemini/gemini-cli#8586"},
			Example: "An unrelated 400 holds the word context, and the loop compacts a history of five messages.",
			Needs:   []evidence.Kind{evidence.KindTranscript, evidence.KindWire},
			Check:   contextOrder,
		},
	}
}

func hasBoundaries(c *Case) string {
	for _, i := range c.boundaries {
		if !c.given(i) {
			return ""
		}
	}
	return "nothing was compacted"
}
