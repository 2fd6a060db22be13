package scenarios

import "testing"

// TestToolsOfTheLoop: what a tool line can declare.
func TestToolsOfTheLoop(t *testing.T) {
	allHold(t, []small{
		{"text and polls", `
provider r
tool say read text='It is late.' t2:text=Later.
tool poll read polls takes=1s
run 'first'
terminal completed
-- r --
reply
    call t1 say {}
    call t2 say {}
    call p1 poll {}
    call p2 poll {}
reply
    expect result.t1 == "It is late."
    expect result.t2 == "Later."
    expect result.p1 == "poll: 1"
    expect result.p2 == "poll: 2"
    call p3 poll {}
reply
    expect result.p3 == "poll: 3"
    text "One."
`},
		{"an image", `
provider r
tool shot read image=1KB text=here
run 'first'
terminal completed
-- r --
reply
    call t1 shot {}
reply
    expect result.t1 ~ here
    expect wire.messages.2.content.0.content.1.source.media_type == image/png
    expect wire.messages.2.content.0.content.1.source.data ~ "^[A-Za-z0-9+/]{1000}$"
    text "One."
`},
		{"an image that is refused for its size, left out at the second time", `
provider r
tool shot read image=1MB
run 'first'
terminal completed
transitions next_turn collapse_drain_retry
events transcript ... boundary:media ...
-- r --
window body=500KB
reply
    call t1 shot {}
reply
    text "One."
`},
		{"a shell tool executes nothing", `
provider r
tool sh write shell s2:fails=red
run 'first'
terminal completed
calls s1=done s2=failed s3=refused
events effects sh:s1~"what":"make.test"
-- r --
reply
    call s1 sh {"command":"make test"}
    call s2 sh {"command":"make lint"}
    call s3 sh {}
reply
    text "One."
`},
		{"the completion gate reads it", `
case tested CMD='go test ./...' END=completed
case not CMD='echo ok' END=completion_gate_blocked
provider r
config gate=on gate_blocks=1
tool sh write shell
run 'change it, and run the tests'
terminal ${END}
[tested] events transcript ... gate:completion:pass ...
[not] events transcript ... gate:completion:fail ...
-- r --
reply
    call s1 sh {"command":"${CMD}"}
reply
    text "All tests pass."
`},
		{"in the background", `
provider r
tool long write background takes=20s
run 'first'
terminal completed
calls t1=done t2=done
effects long=1 counter=1
events transcript ... started:t1 result:t1~"code":"background" ... notice:background_done ...
clock 60s
-- r --
reply
    call t1 long {}
reply
    expect result.t1 ~ background
    delay 30s
    call t2 counter {}
reply
    expect body ~ "long: ok"
    delay 30s
    text "One."
`},
		{"a failure that stops its siblings", `
provider r
tool sh write shell stops-siblings s1:fails=red
run 'first'
terminal completed
calls s1=failed s2=never n=never
effects none
-- r --
reply
    call s1 sh {"command":"make"}
    call s2 sh {"command":"make install"}
    call n counter {}
reply
    text "One."
`},
		{"found first", `
provider r
tool rare read deferred
run 'first'
terminal completed
calls t1=refused s=done t2=done
events transcript ... result:t1~tool_deferred ... result:s~"names":."rare" ...
-- r --
reply
    expect tools !~ rare
    call t1 rare {}
reply
    call s tool_search {"query":"rare"}
reply
    expect tools ~ rare
    call t2 rare {}
reply
    text "One."
`},
		{"the loop's own", `
provider r
tool todo
tool tasks
tool compact
permit *=allow
run 'first'
terminal completed
calls t1=done t2=done t3=done t4=done
effects none
-- r --
reply
    expect tools ~ todo
    expect tools ~ task_create
    expect tools ~ compact
    call t1 todo {"items":[{"text":"try it","status":"completed"}]}
    call t2 task_create {"subject":"Write the parser"}
    call t3 task_list {}
    call t4 compact {}
reply
    expect result.t1 ~ "1 of 1"
    expect result.t3 ~ "Write the parser"
    text "One."
`},
		{"tasks are files, through a kill", `
realkill
provider r
tool tasks
at tool.ran t1 kill
run 'first'
resume
terminal completed
calls t1=unknown t2=done
-- r --
reply
    call t1 task_create {"subject":"Write the parser"}
reply
    call t2 task_list {}
reply
    expect result.t2 ~ "Write the parser"
    text "One."
`},
	})
}
