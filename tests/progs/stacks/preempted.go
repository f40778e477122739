// Goroutines that compute for so long that Go preempts them: a signal's handler lets their function call runtime.asyncPreempt.
package main

import (
	"fmt"
	"sync"
)

var sums [4]uint64

//go:noinline
func spin(n int, id int) {
	s := uint64(1)
	for i := 0; i < n; i++ {
		s = s*2862933555777941757 + 3037000493
	}
	sums[id] += s
}

//go:noinline
func worker(id int, all *sync.WaitGroup) {
	for i := 0; i < 15; i++ {
		spin(200000, id)
	}
	all.Done()
}

func main() {
	var all sync.WaitGroup
	all.Add(len(sums))
	for id := range sums {
		go worker(id, &all)
	}
	all.Wait()
	fmt.Printf("main.spin %d\nmain.worker %d\n", 15*len(sums), len(sums))
}
