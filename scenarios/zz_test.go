package scenarios
import ("testing";"os";"os/exec";"time")
func TestZZ(t *testing.T){
 me,_:=os.Executable()
 text := says+"provider r\nat tool.ran t1 kill\nrun 'append hello'\nresume\n"+oneCall
 file := tempFile(t,"kill.txtar",text)
 var kid, bare, parent time.Duration
 n:=60
 for range n {
  c:=exec.Command(me); c.Env=append(os.Environ(),bareEnv+"=1","GOMAXPROCS=1","GOGC=off"); c.Run(); bare+=c.ProcessState.UserTime()+c.ProcessState.SystemTime()
  sc,_:=Load(file); e:=newEngine(sc,0,0); d,_:=os.MkdirTemp("/dev/shm","zz"); defer os.RemoveAll(d); e.twin=&twin{dir:d}
  s:=cpuTime()
  for _,o:=range []op{{Line:3,Name:"provider",Args:[]string{"r"}},{Line:4,Name:"at",Args:[]string{"tool.ran","t1","kill"}},{Line:5,Name:"run",Args:[]string{"append hello"}}} { e.obey(o) }
  kid+=lastChild; _ = s
  e.obey(op{Name:"resume"}); e.finish()
  parent+=cpuTime()-s
  if e.differ!="" {t.Fatal(e.differ)}
 }
 t.Log("bare",bare/time.Duration(n),"kid",kid/time.Duration(n),"all",parent/time.Duration(n))
}
