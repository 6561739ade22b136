// SPDX-License-Identifier: GPL-2.0-or-later
// Goroutines, channels, the garbage collector, preemption by signals, a nil pointer recovered from.

package main

import (
	"fmt"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	left, right *node
	v           int
}

func insert(n *node, v int) *node {
	if n == nil {
		return &node{v: v}
	}
	if v < n.v {
		n.left = insert(n.left, v)
	} else {
		n.right = insert(n.right, v)
	}
	return n
}
func sum(n *node) int {
	if n == nil {
		return 0
	}
	return n.v + sum(n.left) + sum(n.right)
}
func main() {
	var wg sync.WaitGroup
	ch := make(chan int, 10)
	res := make([]int, 8)
	for g := 0; g < 8; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			var t *node
			x := uint32(g + 1)
			for i := 0; i < 20000; i++ {
				x = x*1664525 + 1013904223
				t = insert(t, int(x>>8)%100000)
			}
			res[g] = sum(t)
		}(g)
	}
	go func() {
		for i := 0; i < 10000; i++ {
			ch <- i
		}
		close(ch)
	}()
	s := 0
	for v := range ch {
		s += v
	}
	wg.Wait()
	runtime.GC()
	words := strings.Fields(strings.Repeat("the quick brown fox jumps ", 2000))
	sort.Strings(words)
	tm := time.NewTicker(time.Millisecond)
	for i := 0; i < 5; i++ {
		<-tm.C
	}
	m := map[string]int{}
	for _, w := range words {
		m[w]++
	}
	func() {
		defer func() { fmt.Println("recovered", recover() != nil) }()
		var p *node
		fmt.Println(p.v)
	}()
	fmt.Println(s, res, m["fox"], len(m))
}
