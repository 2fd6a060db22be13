// Package near finds the word that a typo most likely meant.
//
//	if n := near.Word("cmpletd", known); n != "" {
//		fmt.Printf("did you mean %q?", n)
//	}
package near

import (
	"fmt"
	"strings"
)

// Word returns the known word that is at most a third of the word's letters
// away, whatever their case, or "". Ties go to the earlier one.
func Word(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := len(word) - len(k); d >= least || -d >= least {
			continue
		}
		if d := Distance(word, strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	return best
}

// Unknown is the sentence for a word that is in no list: what was meant, or what
// there is.
func Unknown(what, word string, known []string) string {
	if n := Word(word, known); n != "" {
		return fmt.Sprintf("unknown %s %q: did you mean %q?", what, word, n)
	}
	return fmt.Sprintf("unknown %s %q: there is %s", what, word, strings.Join(known, ", "))
}

// Distance is the number of bytes to insert, delete, change or swap with their
// neighbour that makes b of a.
func Distance(a, b string) int {
	before, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, prev, row = prev, row, before
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = prev[j]
			if a[i] != b[j] {
				row[j+1] = 1 + min(prev[j], prev[j+1], row[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
