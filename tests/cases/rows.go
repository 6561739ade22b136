// SPDX-License-Identifier: GPL-2.0-or-later

// A slice of slices is walked by columns. With the argument `repaired`: by rows.
package main

import (
	"fmt"
	"os"
	"strconv"
)

//go:noinline
func makeTable(n int) [][]float64 {
	table := make([][]float64, n)
	for i := range table {
		table[i] = make([]float64, n)
		for j := range table[i] {
			table[i][j] = float64((i + j) % 1000)
		}
	}
	return table
}

//go:noinline
func addColumns(table [][]float64, sums []float64) {
	for j := range sums {
		for i := range table {
			sums[j] += table[i][j] // problem
		}
	}
}

//go:noinline
func addRows(table [][]float64, sums []float64) {
	for i := range table {
		for j := range sums {
			sums[j] += table[i][j]
		}
	}
}

func main() {
	scale := 1
	if len(os.Args) > 1 {
		scale, _ = strconv.Atoi(os.Args[1])
	}
	table := makeTable(260 * scale)
	sums := make([]float64, len(table))
	for round := 0; round < 10; round++ {
		if len(os.Args) > 2 {
			addRows(table, sums)
		} else {
			addColumns(table, sums)
		}
	}
	all := 0.0
	for j, sum := range sums {
		all += sum * float64(j%10)
	}
	fmt.Printf("%.0f\n", all)
}
