// SPDX-License-Identifier: GPL-2.0-or-later
//
// loops.go: loops and methods; a comment with a name marks where each begins.
package main

import "fmt"

type shelf struct{ items []float64 }

//go:noinline
func (s *shelf) total() float64 {
	sum := 0.0
	for _, item := range s.items { // range
		sum += item
	}
	return sum
}

func main() {
	s := &shelf{items: make([]float64, 150)}
	for i := range s.items { // fill
		s.items[i] = float64(i) *
			0.5
	}
	sum := 0.0
	for i := 0; i < 8; i++ { // calls
		sum += s.total()
	}
	fmt.Printf("%.1f\n", sum)
}
