package gobank

import (
	"context"
	"runtime/pprof"
	"strconv"
	"testing"
	"time"
)

// busy works for a while on accounts of one size, labelled by branch.
func busy(branch string, size int, d time.Duration) {
	labels := pprof.Labels("branch", branch, "size", strconv.Itoa(size))
	pprof.Do(context.Background(), labels, func(context.Context) {
		var bank Bank
		for end := time.Now().Add(d); time.Now().Before(end); {
			bank.accounts = bank.accounts[:0]
			for i := 0; i < 64; i++ {
				bank.Deposit(size, byte(i))
			}
			bank.Audit()
		}
	})
}

func TestNorth(t *testing.T) {
	busy("north", 1<<10, 200*time.Millisecond)
	busy("north", 1<<14, 200*time.Millisecond)
}

func TestSouth(t *testing.T) {
	busy("south", 1<<12, 400*time.Millisecond)
}
