package scenarios

import "testing"

// TestPermits: a policy, and whoever it asks.
func TestPermits(t *testing.T) {
	allHold(t, []small{
		{"decisions", `
case allow WHAT=allow STATE=done N=1
case deny WHAT=deny STATE=refused N=0
case hard WHAT=hard-deny STATE=refused N=0
case yes WHAT=ask:yes STATE=done N=1
case no WHAT=ask:no STATE=refused N=0
case hang WHAT=ask:hang STATE=refused N=0
case crash WHAT=ask:crash STATE=refused N=0
provider r
config approve_timeout=9s grace=1s
permit counter=${WHAT}
run 'first'
terminal completed
calls t1=${STATE}
effects counter=${N}..${N}
[yes] events transcript ... permission:ask~permit.1 permission:approved started:t1 ...
[no] events transcript ... permission:t1 permission:rejected~permit.1 result:t1~permission_denied ...
[hang] events transcript ... permission:ask permission:cancelled ...
[hang] clock 9s
[crash] events transcript ... permission:ask permission:cancelled~crashed ...
[hard] events transcript ... permission:deny~no.approval ...
-- r --
reply
    call t1 counter {}
reply
    text "One."
`},
		{"an answer takes its time", `
provider r
permit counter=ask:yes@30s append=ask:no@1m
run 'first'
calls t1=done t2=refused
clock 90s
-- r --
reply
    call t1 counter {}
    call t2 append {"file":"f","line":"x"}
reply
    text "One."
`},
		{"the first that fits decides, what none fits is denied, a hard one wins", `
provider r
tool look read
permit append=allow
permit look=deny *=ask:yes
permit counter=hard-deny
run 'first'
calls w=done l=refused n=refused
events transcript ... permission:w~permit.1 permission:l~permit.2 result:l permission:n~permit.4 ...
session other
provider r2
permit append=allow
run 'second'
calls n=refused
events transcript ... permission:n~default.deny ...
-- r --
reply
    call w append {"file":"f","line":"x"}
    call l look {}
    call n counter {}
reply
    text "One."
-- r2 --
reply
    call n counter {}
reply
    text "One."
`},
		{"killed while it is asked: asked anew", `
realkill
provider r
permit counter=ask:yes@10s
at append.synced permission kill
run 'first'
terminal crashed
resume
terminal completed
calls t1=done
effects counter=1
clock 10s
events transcript ... permission:ask resume permission:ask permission:approved started:t1 ...
-- r --
reply
    call t1 counter {}
reply
    text "One."
`},
	})
}
