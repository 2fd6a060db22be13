//go:build race

package journal

// stepSweeps thins out the sweeps where every instruction is watched: -race looks
// for races, and there is one goroutine here.
const stepSweeps = 7
