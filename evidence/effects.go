package evidence

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonv2 "github.com/go-json-experiment/json"
)

// AppendEffect appends to dst the bytes that a tool writes into the effect
// ledger for one effect: always a line of its own. last is the ledger's last
// byte, 0 when it is empty: behind a torn line a newline comes first, so that
// the torn line stays what it is and nothing is glued to it.
//
// A tool appends this with one write and syncs it, itself, as part of what it
// does: the ledger is what happened, not what the loop says about it.
func AppendEffect(dst []byte, last byte, e Effect) []byte {
	if last != 0 && last != '\n' {
		dst = append(dst, '\n')
	}
	line, err := json.Marshal(e)
	if err != nil {
		panic("evidence: an Effect cannot be written: " + err.Error()) // strings and an int: it can
	}
	return append(append(dst, line...), '\n')
}

// ReadEffects reads an effect ledger. Lines that cannot be read are returned
// apart and stop nothing: what a killed tool has torn is not an effect, but it
// is something that somebody may want to see.
func ReadEffects(ledger []byte) ([]Effect, []Odd) {
	var odd []Odd
	list, _ := load(&odd, EffectsFile, ledger, `{"tool":`, parseEffect)
	return list, odd
}

// parseEffect reads one line, strictly as JSON but with fields of its own
// allowed: a foreign tool may say more.
func parseEffect(line []byte) (Effect, error) {
	var e Effect
	if err := jsonv2.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not an effect: %w; want {\"tool\":NAME,\"call\":ID}", short(err))
	}
	if e.Tool == "" {
		return e, errors.New(`an effect without a tool; want {"tool":NAME,"call":ID}`)
	}
	return e, nil
}

// short drops the Go types from an error of the JSON decoder.
func short(err error) error {
	var syn interface{ Unwrap() error }
	if errors.As(err, &syn) {
		if in := syn.Unwrap(); in != nil {
			return in
		}
	}
	return err
}
