package scenarios

import "strings"

// nearest returns the candidate that a mistyped word most likely meant, or "".
// Ties go to the earlier candidate.
func nearest(word string, candidates []string) string {
	best, limit := "", max(1, len(word)/3)
	for _, c := range candidates {
		if strings.EqualFold(c, word) {
			return c
		}
		if d := distance(word, c, limit); d <= limit {
			best, limit = c, d-1
		}
		if limit < 0 {
			break
		}
	}
	return best
}

// distance is the edit distance (a swap of neighbours counts once), or limit+1
// once it is known to exceed limit.
func distance(a, b string, limit int) int {
	if d := len(a) - len(b); d > limit || -d > limit {
		return limit + 1
	}
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return min(prev[len(b)], limit+1)
}

// unknown is the sentence for a word that is in no list: what was meant, or
// what there is.
func unknown(what, word string, candidates []string) string {
	if n := nearest(word, candidates); n != "" {
		return "unknown " + what + " " + quote(word) + ": did you mean " + quote(n) + "?"
	}
	return "unknown " + what + " " + quote(word) + ": there is " + strings.Join(candidates, ", ")
}

func quote(s string) string { return `"` + s + `"` }
