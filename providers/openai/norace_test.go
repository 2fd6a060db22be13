//go:build !race

package openai

const stride = 1
