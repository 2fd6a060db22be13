package scenarios

import "testing"

// TestHooks: what a hook may say, in whichever life it is asked.
func TestHooks(t *testing.T) {
	allHold(t, []small{
		{"the next outcome each time, the last one again", `
provider r
hook stop 'block=say more' 'block=and more' allow
run 'first'
terminal completed
transitions stop_hook_blocking stop_hook_blocking
events hooks stop:block~"text":"say.more" stop:block~"active":true stop:allow
events transcript ... gate:hook:block~say.more transition:stop_hook_blocking ... gate:hook ... gate:hook:allow terminal:completed
run 'second'
terminal completed
events hooks ... stop:block stop:allow stop:allow
-- r --
reply
    text "One."
reply
    expect messages.-1.text ~ "say more"
    text "Two."
reply
    expect messages.-1.text ~ "and more"
    text "Three."
reply
    text "Four."
`},
		{"ends", `
case allow OUT=allow END=completed
case prevent OUT=prevent=no END=stop_hook_prevented
case halt OUT=halt=no END=hook_stopped
case crash OUT=crash END=completed_unverified
case panic OUT=panic END=completed_unverified
case hang OUT=hang END=completed_unverified
provider r
config hook_timeout=7s grace=1s
hook stop ${OUT}
run 'first'
terminal ${END}
[allow] events hooks stop:allow
[!allow] ! events hooks stop:allow
[hang] clock 7s
[!hang] clock 0s
-- r --
reply
    text "One."
`},
		{"two hooks: the first that is not allow decides", `
provider r
hook stop allow
hook stop 'halt=enough'
hook stop allow
run 'first'
terminal hook_stopped enough
events hooks stop:allow stop:halt
-- r --
reply
    text "One."
`},
		{"behind the tools", `
case allow OUT=allow END=completed
case block OUT=block=careful END=completed
case prevent OUT=prevent=no END=hook_stopped
case halt OUT=halt=no END=hook_stopped
case panic OUT=panic END=completed
provider r
hook tool ${OUT}
run 'first'
terminal ${END}
effects counter=1
events transcript ... result:t1 gate:tool_hook ...
events hooks tool~"kind":"tool"
-- r --
reply
    call t1 counter {}
[!prevent] [!halt] reply
    [block] expect body ~ careful
    text "One."
`},
		{"a maximum of blocks", `
provider r
config hook_blocks=2
hook stop 'block=again'
run 'first'
terminal stop_hook_prevented again
transitions stop_hook_blocking
-- r --
reply times=2
    text "One."
`},
		{"killed before it is asked, and resumed: the outcome is still the first", `
realkill
provider r
hook stop 'block=say more' allow
at hook kill
run 'first'
terminal crashed
events hooks none
resume
terminal completed
events hooks stop:block~"life":2 stop:allow
-- r --
reply
    text "One."
reply
    text "Two."
`},
		{"killed when it has answered, and resumed: asked again, the next outcome", `
realkill
provider r
hook stop 'block=say more' 'block=more still' allow
at append.before gate kill
run 'first'
terminal crashed
events hooks stop:block~"life":1
resume
terminal completed
events hooks stop:block stop:block~more.still stop:allow
-- r --
reply
    text "One."
reply
    text "Two."
`},
	})
}
