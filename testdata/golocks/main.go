// golocks writes mutex and block profiles as text: golocks MUTEX BLOCK
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

func hold(mu *sync.Mutex, wg *sync.WaitGroup) {
	defer wg.Done()
	for i := 0; i < 20; i++ {
		mu.Lock()
		time.Sleep(100 * time.Microsecond)
		mu.Unlock()
	}
}

func write(profile, name string) {
	f, err := os.Create(name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	if err := pprof.Lookup(profile).WriteTo(f, 1); err != nil {
		panic(err)
	}
}

func main() {
	runtime.SetBlockProfileRate(1)
	runtime.SetMutexProfileFraction(1)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := 0; i < 8; i++ {
		wg.Add(1)
		go hold(&mu, &wg)
	}
	wg.Wait()
	write("mutex", os.Args[1])
	write("block", os.Args[2])
}
