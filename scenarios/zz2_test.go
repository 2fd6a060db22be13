package scenarios
import ("testing";"time")
func TestZZ2(t *testing.T){
 text := says+"provider r\nat tool.ran t1 kill\nrun 'append hello'\nresume\n"+oneCall
 file := tempFile(t,"kill.txtar",text)
 s:=cpuTime(); Load(file); t.Log("load",cpuTime()-s)
 s=cpuTime(); plainRegistry(); t.Log("registry",cpuTime()-s)
 s=cpuTime(); sc,_:=Load(file); e:=newEngine(sc,0,0)
  for _,o:=range []op{{Line:3,Name:"provider",Args:[]string{"r"}},{Line:4,Name:"at",Args:[]string{"tool.ran","t1","kill"}},{Line:5,Name:"run",Args:[]string{"append hello"}}} { e.obey(o) }
 t.Log("life1",cpuTime()-s)
 s=cpuTime(); e.obey(op{Name:"resume"}); e.finish(); t.Log("life2",cpuTime()-s)
 s=cpuTime(); e.judge(true,nil,nil); t.Log("judge",cpuTime()-s)
 _ = time.Now
}
