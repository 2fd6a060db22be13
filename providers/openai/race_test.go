//go:build race

package openai

// Every place in a stream is tried without the race detector, which finds
// nothing in one goroutine; with it, some are.
const stride = 23
