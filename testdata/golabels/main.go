// Golabels spends time under labels and keeps memory, for profiles of both:
// golabels CPU-PROFILE HEAP-PROFILE.
package main

import (
	"context"
	"log"
	"os"
	"runtime"
	"runtime/pprof"
	"sort"
	"strings"
	"syscall"
)

var kept [][]byte

func sortWords(n int) int {
	words := strings.Fields(strings.Repeat("pear apple fig plum ", n))
	sort.Strings(words)
	return len(words)
}

func fold(n int) int {
	return len(strings.ToUpper(strings.Repeat("straße ", n)))
}

//go:noinline
func keep(size int) {
	kept = append(kept, make([]byte, size))
}

// used returns the program's processor time in seconds, so that a machine that
// is busy with other things makes the profile no smaller.
func used() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func work(seconds float64) {
	jobs := []string{"import", "export", "audit"}
	users := []string{"ann", "bob"}
	end := used() + seconds
	for i := 0; used() < end; i++ {
		labels := pprof.Labels("job", jobs[i%3], "user", users[i%2])
		pprof.Do(context.Background(), labels, func(context.Context) {
			sortWords(1000)
			fold(20000)
		})
		if i%2 == 0 {
			sortWords(1000)
		}
	}
}

func create(name string) *os.File {
	f, err := os.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

func main() {
	runtime.MemProfileRate = 1
	cpu, heap := create(os.Args[1]), create(os.Args[2])
	if err := pprof.StartCPUProfile(cpu); err != nil {
		log.Fatal(err)
	}
	work(1.2)
	pprof.StopCPUProfile()
	for i := 0; i < 100; i++ {
		keep(64 << (i % 15))
	}
	runtime.GC() // the profile is as of the last one
	if err := pprof.Lookup("heap").WriteTo(heap, 0); err != nil {
		log.Fatal(err)
	}
	if cpu.Close() != nil || heap.Close() != nil {
		log.Fatal("cannot close the profiles")
	}
}
