// SPDX-License-Identifier: GPL-2.0-or-later

// Points are reached by pointers that come in no order. With the argument `repaired`: a slice of points.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type point struct {
	x, y int64
}

//go:noinline
func makePoints(n int) ([]point, []*point) {
	points := make([]point, n)
	pointers := make([]*point, n)
	state := uint32(1)
	for i := range points {
		points[i] = point{int64(i % 1000), int64(i % 7)}
		pointers[i] = &points[i]
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		other := state % uint32(i+1)
		pointers[i], pointers[other] = pointers[other], pointers[i]
	}
	return points, pointers
}

//go:noinline
func addPointers(pointers []*point) int64 {
	sum := int64(0)
	for _, p := range pointers {
		sum += p.x * p.y // problem
	}
	return sum
}

//go:noinline
func addPoints(points []point) int64 {
	sum := int64(0)
	for i := range points {
		sum += points[i].x * points[i].y
	}
	return sum
}

func main() {
	scale := 1
	if len(os.Args) > 1 {
		scale, _ = strconv.Atoi(os.Args[1])
	}
	points, pointers := makePoints(30000 * scale)
	sum := int64(0)
	for round := 0; round < 30; round++ {
		if len(os.Args) > 2 {
			sum += addPoints(points)
		} else {
			sum += addPointers(pointers)
		}
	}
	fmt.Println(sum)
}
