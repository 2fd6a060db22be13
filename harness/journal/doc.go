// Package journal records what an agent loop does, so that it survives a crash
// and can be trusted afterwards.
//
// A session is a folder with two ledgers of JSON lines. The transcript says what
// happened, one Record a line. The audit ledger says, one Entry a record, why
// the step was allowed, and seals the record's line in a chain of hashes. Each
// record carries the hash of the last entry before it, so the two vouch for each
// other.
//
//	j, first, err := journal.Create(e, e.IDs.Session(), journal.Record{Model: "m"})
//	...
//	call := &journal.Record{Kind: journal.KindCall, Call: "c1", Name: "read_file", Input: input}
//	if err := j.Commit("the model asked for it", call); err != nil {
//		return err // nobody is shown call, and the tool does not run
//	}
//	publish(call)
//
// Commit returns when its records are durable in both ledgers, and not before;
// what was not committed may not be shown (H2). A failure to record is final:
// the Journal answers every later Commit with the same error, and only opening
// the session anew tells what is there (H3). Several records in one Commit cost
// one sync of each ledger, and a crash may keep a first part of them.
//
// After a crash, or at any later time:
//
//	j, loaded, err := journal.Open(e)
//	if errors.Is(err, journal.ErrNoSession) { ... } // creation did not come to its first record
//	if errors.Is(err, env.ErrLocked) { ... }        // another process records here
//	for _, r := range loaded.Records { ... }        // fold them into a state
//
// A record is committed by its newline. What a crash left behind the last one
// is cut off and noted by a quarantine record; entries that it took from the
// audit ledger are made again and marked; everything else that is not as this
// package writes it is a *CorruptError that names file and line, and then no
// byte is touched.
//
// Readers that do not record use Records, Entries, Verify and Inspect: they
// need bytes, no folder and no lock.
//
// What the ledgers prove has a limit. The chain has no key, so whoever may
// write the folder can write another session into it; and what was added since
// the last Anchor can be cut off both ledgers without trace.
package journal
