package fuzz

import (
	"os"
	"testing"

	"github.com/harnessbench/bench/scenarios"
)

func TestMain(m *testing.M) {
	scenarios.LifeMain()
	os.Exit(m.Run())
}
