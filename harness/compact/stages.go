package compact

// Stage is one step of the context pipeline.
type Stage string

// The stages; Summary is the sixth. Budget, snip, micro and summary act before
// a request, in this order; collapse and media drain what they had spared after
// a request was refused for its size.
const (
	Budget   Stage = "budget"
	Snip     Stage = "snip"
	Micro    Stage = "micro"
	Collapse Stage = "collapse"
	Media    Stage = "media"
)

// StageInfo describes a stage.
type StageInfo struct {
	Stage     Stage
	Summary   string // what it does
	Threshold string // when it acts
	Source    string // mechanisms
}

// Stages returns every stage in the order in which they are asked, with what it
// does.
func Stages() []StageInfo {
	return []StageInfo{
		{Budget, "the largest of the newest results are shown by a preview until they fit one message",
			"the results of the last step, not read yet, have more than message_bytes together", "E1, E2, zed-industries/zed#63237"},
		{Snip, "the steps between the first 3 and the last 30 messages are left out; what the user said in them stays",
			"the request has compact_at tokens or more, and more than snip_over messages", "E2"},
		{Micro, "results that were read become stubs, the oldest first, until four fifths of compact_at are reached",
			"the request has compact_at tokens or more; the last micro_keep results and any result not read yet stay", "E1, E2"},
		{Summary, "a model's summary stands for all but the last summary_keep units; the user's request stays word for word",
			"the request has compact_at tokens or more after the stages before, or the provider refused it as too long", "E3, E6, E7, D2"},
		{Collapse, "every result that was read and has more than collapse_over bytes becomes a stub",
			"the provider refused the request as too long or too large", "D1"},
		{Media, "the images of all results are left out",
			"the provider refused the request as too large, or for its images", "earendil-works/pi#4642"},
	}
}
