package journal_test

import (
	"fmt"
	"log"
	"os"

	"github.com/harnessbench/bench/harness/env"
	"github.com/harnessbench/bench/harness/journal"
)

// A session is created, a process dies while it writes, and the next one opens
// what is left.
func Example() {
	dir, err := os.MkdirTemp("", "session")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	e, err := env.Real(dir)
	if err != nil {
		log.Fatal(err)
	}

	j, _, err := journal.Create(e, e.IDs.Session(), journal.Record{Model: "some-model"})
	if err != nil {
		log.Fatal(err)
	}
	call := &journal.Record{Kind: journal.KindCall, Call: "c1", Name: "read_file", Input: `{"path":"a.txt"}`}
	if err := j.Commit("the user asked", &journal.Record{Kind: journal.KindUser, Text: "read a.txt"}); err != nil {
		log.Fatal(err)
	}
	if err := j.Commit("the model asked for it", call); err != nil {
		log.Fatal(err)
	}
	fmt.Println("record", call.Seq, "may be shown")
	j.Close()

	// The process dies in the middle of its next record.
	f, err := os.OpenFile(dir+"/"+journal.TranscriptFile, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		log.Fatal(err)
	}
	f.WriteString(`{"seq":4,"time":17`)
	f.Close()

	j, loaded, err := journal.Open(e)
	if err != nil {
		log.Fatal(err)
	}
	defer j.Close()
	for _, r := range loaded.Records {
		fmt.Printf("%d %s %q\n", r.Seq, r.Kind, r.Text)
	}

	transcript, _ := os.ReadFile(dir + "/" + journal.TranscriptFile)
	audit, _ := os.ReadFile(dir + "/" + journal.AuditFile)
	head, _ := os.ReadFile(dir + "/" + journal.HeadFile)
	fmt.Println("verified:", journal.Verify(transcript, audit, head) == nil)

	transcript[len(transcript)/2] ^= 1
	fmt.Println("verified after a change:", journal.Verify(transcript, audit, head) == nil)
	// Output:
	// record 3 may be shown
	// 1 session ""
	// 2 user "read a.txt"
	// 3 call ""
	// 4 quarantine "{\"seq\":4,\"time\":17"
	// verified: true
	// verified after a change: false
}
