package oracle

// kind is one kind of difference: what an SDK makes of some bytes where the codec
// makes something else. It says exactly what: as the bytes that the SDK in effect
// sees, or as a change of the codec's turn. So a kind that no longer holds is red,
// and so is a difference that no kind explains.
type kind struct {
	name  string
	apis  []api
	what  string // the SDK does
	codec string // the codec does
	right right
	why   string
	// recorded: it is met in the recordings of BENCH_CORPUS.
	recorded bool

	sees  func(body string) string
	reads func(t *turn, body string)
}

// right is who is right.
type right string

const (
	theCodec right = "codec"
	theSDK   right = "SDK"
	either   right = "either"
)

var (
	allSSE = []api{messages, chat, responses} // those whose SDKs have a reader of events
	all    = []api{messages, chat, responses, gemini}
)

// kinds are all of them, in the order in which they apply: first what an SDK does
// not see of the bytes, then what it makes of what it sees.
func kinds() (list []kind) {
	list = append(list, framingKinds()...)
	list = append(list, jsonKinds()...)
	list = append(list, endKinds()...)
	list = append(list, callKinds()...)
	list = append(list, contentKinds()...)
	return list
}
