// Package sim is a simulated machine: a clock, tasks, a disk, and ways for all
// of it to die. Code that is written on package env runs on it unchanged, in
// virtual time and in an order that a seed chooses, and can be killed at any
// point, after which the next life finds what the disk kept.
//
//	w := sim.NewWorld(seed)                // outlives processes: disk, time, trace
//	m := w.Boot(probe)                     // one process's life
//	out := m.Run(func() {                  // main; returns when every task is gone
//		e := m.Env("session")          // the env.Env of the code under test
//		...
//		m.Kill("before the sync")      // as SIGKILL: nothing of this life happens any more
//	})
//	w.Disk.PowerCut(rng)                   // keeps what was synced and any part of the rest
//	m = w.Boot(probe)                      // the next life
//
// # Time and tasks
//
// One task of a life holds the baton and moves; the others wait in Sleep, in
// Note.Wait or for their turn. Virtual time stands still while a task moves and
// jumps to the next timer when none can. Seed 0 takes ready tasks first come
// first served; any other seed chooses among them, so the seed is the schedule:
// the same one gives the same bytes every time, others explore. When no task
// can move and no timer is left, the run ends and Outcome.Deadlock says who
// waited for what. Tasks that still wait when main has returned are named in
// Outcome.Left, then killed.
//
// Code under test must wait through env.Clock alone; a channel operation or a
// mutex held over a wait stops the whole run, and a go statement runs outside
// of it. Blocking on the real world belongs into Clock.External; it comes back
// when nothing else can move, but with two at once the real world decides which
// is first. Run waits for External functions even when the life is dead: its
// contexts have ended by then, so what hangs on one of them ends.
//
// # Death
//
// Kill, a panic in a task, a deadlock and the end of main all end the tasks by
// runtime.Goexit: deferred functions run, recover catches nothing, and whatever
// they try on the machine does not happen. Disk, clock, probe and trace know
// the life they belong to; others ask Machine.Alive. Locks and files end with
// their life.
//
// # The disk
//
// Everything written survives a kill; see Disk and PowerCut for what survives
// more. Faults are armed per life: ArmTear and ArmErr for the next operation of
// a kind, OnOp for any. Every append, sync, truncation, rename, removal and
// folder sync becomes a step of the World's trace, in one sequence with the
// steps that others add by World.Trace; names are relative to the disk's root.
//
// OnRealDisk runs the same on a real folder, for a child process that is to be
// killed by a real SIGKILL, and for the life after it:
//
//	// parent
//	past := w.Past()                                     // goes to the child as JSON
//	// child
//	w := sim.NewWorld(seed, sim.OnRealDisk(dir), sim.After(past), sim.TraceTo(pipe))
//	// parent, when the child is dead
//	w.Adopt(stepsFromThePipe)
package sim
