// SPDX-License-Identifier: GPL-2.0-or-later
// Names of Go: a method, a closure, a generic function; and what goroutines allocate.
package main

import "fmt"

type square struct{ side int }

//go:noinline
func (s *square) area() int { return s.side * s.side }

//go:noinline
func total[T interface{ area() int }](shapes []T) (sum int) {
	for _, s := range shapes {
		sum += s.area()
	}
	return sum
}

func main() {
	var shapes []*square
	for side := 0; side < 100; side++ {
		shapes = append(shapes, &square{side})
	}
	add := func(n int) int { return total(shapes) + n }
	fmt.Println(add(1))
	for side := 0; side < 8; side++ {
		go send()
		(<-squares).area()
	}
}

var squares = make(chan *square)

func send() {
	squares <- &square{4}
}
