package faults

import (
	"fmt"
	"strings"
)

// Minimal is the text of a scenario that runs, with the fault in it.
func (f *Fault) Minimal() string {
	words := append([]string{f.Name}, f.with...)
	return fmt.Sprintf(minimal, f.Summary, strings.Join(words, " "), f.ends)
}

const minimal = `# %s.
# From: bench explain.
provider replies.script
tool look read
fault %s
run 'look at the door, and note it'
terminal %s

-- replies.script --
reply times=0..1
    think "First a look."
    text "I look, " "señor."
    call t1 look {"at":"door"}
    call t2 append {"file":"notes.txt","line":"door"}
reply times=0..30
    text "Noted."
reply lane=summary times=0..9
    text "<summary>The door was looked at.</summary>"
`
