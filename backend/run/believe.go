package run

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"longwatch/backend/protocol"
)

// MostRecords bounds the state records of a run.
const MostRecords = 500

func fromTask(r Requirement) Belief {
	return Belief{
		StateRecord: protocol.StateRecord{ID: r.ID, Mark: protocol.Pending, Text: r.Text},
		FromTask:    true,
	}
}

// believe takes the records of a plan as far as audits support them. What is
// not believed is kept at a lower mark and noted for the manager.
func (s *State) believe(round int, records []protocol.StateRecord) {
	for _, rec := range records {
		rec = s.weigh(round, rec)
		i := s.index(rec.ID)
		switch {
		case i >= 0 && s.Records[i].FromTask:
			rec.Text = s.Records[i].Text
			s.Records[i].StateRecord = rec
		case i >= 0:
			s.Records[i].StateRecord = rec
		case len(s.Records) >= MostRecords:
			s.note("%s was not kept: a run has at most %d records", rec.ID, MostRecords)
		default:
			s.Records = append(s.Records, Belief{StateRecord: rec})
		}
	}
}

// weigh lowers a mark that nothing supports.
func (s *State) weigh(round int, rec protocol.StateRecord) protocol.StateRecord {
	switch {
	case rec.Mark == protocol.Completed && rec.Round == 0:
		rec.Mark = protocol.Untrusted
		s.note("%s is kept as untrusted: completed cites no round", rec.ID)
	case rec.Mark == protocol.Completed && !s.Supports(rec.Round):
		rec.Mark = protocol.Untrusted
		s.note("%s is kept as untrusted: the verdict of round_%03d does not support it", rec.ID, rec.Round)
	case rec.Mark == protocol.Blocked && round == 1:
		rec.Mark = protocol.Pending
		s.note("%s is kept as pending: round 1 may only say pending or untrusted", rec.ID)
	}
	return rec
}

func (s *State) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

func (s *State) index(id string) int {
	for i := range s.Records {
		if s.Records[i].ID == id {
			return i
		}
	}
	return -1
}

// fingerprint remembers what a round came to, as long as it is the same as the
// round before. It reads typed fields only, never words: an agent that says
// something new each time while nothing changes is not making progress.
func (s *State) fingerprint(r *Round) {
	h := sha256.New()
	for _, b := range s.Records {
		fmt.Fprintf(h, "%s %s %d\n", b.ID, b.Mark, b.Round)
	}
	_, _ = io.WriteString(h, s.Contract)
	if r.Audited != nil {
		fmt.Fprintf(h, "\n%s", r.Audited.Verdict)
	}
	fmt.Fprintf(h, "\n%s\n%s", r.End, s.Tree)
	fp := hex.EncodeToString(h.Sum(nil)[:8])
	if n := len(s.Fingerprints); n > 0 && s.Fingerprints[n-1] != fp {
		s.Fingerprints = nil
	}
	s.Fingerprints = append(s.Fingerprints, fp)
	if len(s.Fingerprints) > 3 {
		s.Fingerprints = s.Fingerprints[1:]
	}
}
