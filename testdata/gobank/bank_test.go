package gobank

import (
	"context"
	"runtime/pprof"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// used returns the processor time of the program, so that a machine that is
// busy with other things makes its profile no smaller.
func used() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// busy works on accounts of one size, labelled by branch, until the program
// has used so much more processor time.
func busy(branch string, size int, d time.Duration) {
	labels := pprof.Labels("branch", branch, "size", strconv.Itoa(size))
	pprof.Do(context.Background(), labels, func(context.Context) {
		var bank Bank
		for end := used() + d; used() < end; {
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
