// Package seam is how a mutant puts a broken part into the loop. Nobody
// outside this module can name a Slot's content, so the correct loop cannot be
// configured into a broken one.
package seam

// Slot holds a set of parts; the zero Slot holds none, and the owner then uses
// its own.
type Slot struct{ parts any }

// Of returns a slot that holds parts.
func Of(parts any) Slot { return Slot{parts} }

// Get returns what the slot holds as a P, or the zero P.
func Get[P any](s Slot) P {
	p, _ := s.parts.(P)
	return p
}

// Canary is the API key of every simulated loop. It must appear in no artifact
// (secrets/none); it stands here so that a mutant can leak it.
const Canary = "bench-canary-7f3a9c51e2d84b06"
