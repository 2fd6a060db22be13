package gate

// kinds is a set of Kind; the bits are those of allKinds.
type kinds uint8

// effect is what is known of a command that ends with status 0 (proved, fresh),
// and of one that ends anyhow (tried, changes).
type effect struct {
	proved  kinds // these checkers ran, and ended well
	fresh   kinds // of proved: nothing may have changed anything since
	tried   kinds // these checkers are in it, wherever
	changes bool  // it may change something
	fails   bool  // it never ends with status 0
}

// then is a; b: the status is b's.
func (a effect) then(b effect) effect {
	return effect{b.proved, b.fresh, a.tried | b.tried, a.changes || b.changes, b.fails}
}

// and is a && b.
func (a effect) and(b effect) effect {
	if b.changes {
		a.fresh = 0
	}
	return effect{a.proved | b.proved, a.fresh | b.fresh, a.tried | b.tried, a.changes || b.changes, a.fails || b.fails}
}

// or is a || b: either alone makes the status 0, unless b never does.
func (a effect) or(b effect) effect {
	e := effect{a.proved & b.proved, a.fresh & b.fresh, a.tried | b.tried, a.changes || b.changes, a.fails && b.fails}
	if b.fails { // pytest || exit 1
		e.proved, e.fresh = a.proved, a.fresh
	}
	return e
}

// beside is a | b: both run at once, so a change in either is after the other.
func (a effect) beside(b effect, pipefail bool) effect {
	e := effect{b.proved, b.fresh, a.tried | b.tried, a.changes || b.changes, b.fails}
	if pipefail {
		e.proved, e.fresh = a.proved|b.proved, a.fresh|b.fresh
	}
	if e.changes {
		e.fresh = 0
	}
	return e
}

// masked is an effect whose status is lost: !, &, $(...).
func (a effect) masked() effect { return effect{tried: a.tried, changes: a.changes} }
