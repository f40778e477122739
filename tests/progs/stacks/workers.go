// Goroutines that take work from a channel, and a recursion for which Go moves the stack several times.
package main

import "fmt"

var recs, spins int

//go:noinline
func rec(n int) int {
	recs++
	var pad [64]int // more than a stack has without asking
	pad[n%64] = 1
	if n == 0 {
		return 0
	}
	s := make([]byte, n%64+1)
	return rec(n-1) + len(s)%2 + pad[0]
}

//go:noinline
func spin(n int) int {
	s := 0
	for i := 0; i < n; i++ {
		s += i ^ n
	}
	return s
}

//go:noinline
func worker(id int, in chan int, out chan int) {
	for v := range in {
		out <- spin(v) + id
	}
}

func main() {
	in := make(chan int)
	out := make(chan int)
	for i := 0; i < 4; i++ {
		go worker(i, in, out)
	}
	t := 0
	for i := 0; i < 100; i++ {
		in <- 1000 + i
		t += <-out
		spins++
	}
	t += rec(500)
	if t != 0 {
		fmt.Printf("main.rec %d\nmain.spin %d\nmain.main 1\n", recs, spins)
	}
}
