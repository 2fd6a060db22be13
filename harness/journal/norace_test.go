//go:build !race

package journal

const stepSweeps = 1
