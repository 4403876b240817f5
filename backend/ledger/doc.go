// Package ledger keeps one history as lines that can be added but never
// changed.
//
// A record is on disk when [Writer.Append] returns. Readers trust nothing:
// they check each record's digest against the one before it and stop at the
// first that differs. The package knows the envelope of a record and two
// kinds of its own, "anchored" and "tail_cut"; what other kinds mean is not
// its business, so it can outlive every version of them.
//
// A record is one line, byte for byte of this form:
//
//	{"v":1,"seq":2,"epoch":1,"at":1764536460123,"kind":"audited",
//	 "class":"evidence","body":{…},"prev":"<sha256>","sum":"<sha256>"}
//
// (written here as two). sum is the SHA-256 of the line's bytes before
// `,"sum"`, prev the sum of the record before, 64 zeros for record 1. An
// epoch is one writer's time: its first record names a fresh ed25519 public
// key, and anchors sign the end reached with it, at least every 100 records
// and a batch. The end is also kept in a [HeadStore] outside the folder,
// saved before each write with the digests of what is about to be written:
// so a tail that was cut, or one that somebody chained on, shows.
//
// Refused: a second writer, a file that is a link, has a second name, or is
// not ours, and going on after damage. Only an unterminated last line is
// cut, kept beside the file until the cut itself is a record.
//
// The invariant: whoever does not have this user's rights cannot change what
// was acknowledged without [Verify] naming the first record concerned. The
// same user owns ledger and head both; for that one it is evidence only as
// far as the head is out of reach.
package ledger
