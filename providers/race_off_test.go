//go:build !race

package providers_test

const raceEnabled = false
