package ledger

import (
	"errors"
	"io/fs"
	"reflect"
	"slices"

	"longwatch/backend/safefs"
)

// What a Report says about the ledger's end.
const (
	// EndAttested: the head, or an anchor, vouches for the last record.
	EndAttested = "attested"
	// EndUnattested: the chain holds, but more may once have followed, or
	// the last records may have been added by somebody else.
	EndUnattested = "unattested"
	// EndTorn: the last line is not terminated; Open will cut it.
	EndTorn = "torn"
)

// Report is what Verify found.
type Report struct {
	// Records counts those before the first bad one.
	Records uint64        `json:"records"`
	Epochs  []EpochReport `json:"epochs"`
	End     string        `json:"end"`
	// Attested is the last record that the head or an anchor vouches for;
	// 0 without a head.
	Attested uint64 `json:"attested"`
	// Torn is the unterminated last line, if there is one.
	Torn *Torn `json:"torn,omitempty"`
	// Broken is the first bad record, nil if there is none.
	Broken *Broken `json:"broken,omitempty"`
}

// Torn is where an unterminated last line begins and how long it is.
type Torn struct {
	Offset int64 `json:"offset"`
	Bytes  int   `json:"bytes"`
}

// broke notes a bad record unless an earlier one is known.
func (r *Report) broke(seq uint64, offset int64, why string) {
	if r.Broken != nil && r.Broken.Seq <= seq {
		return
	}
	r.Broken = &Broken{Seq: seq, Offset: offset, Why: why}
	r.End, r.Torn = EndUnattested, nil
	r.Records = min(r.Records, max(seq, 1)-1)
}

// trim takes from the epochs what lies behind the first bad record. A foreign
// one stays: it is what is wrong.
func (r *Report) trim() {
	r.Epochs = slices.DeleteFunc(r.Epochs, func(e EpochReport) bool {
		return e.From > r.Records && e.State != Foreign
	})
	for i := range r.Epochs {
		if e := &r.Epochs[i]; e.To > r.Records && e.State != Foreign {
			e.To, e.State = r.Records, Unsealed
		}
	}
}

// verifyTries bounds how often Verify reads on behind a writer at work.
const verifyTries = 1000

// Verify checks a whole ledger: the file itself, every line, the chain, the
// epochs' keys and anchors, and the end against the head. head may be nil;
// then the end is unattested. It needs no lock: a writer may be at work. The
// error is about reading; what is wrong with the ledger is in the report.
func Verify(dir *safefs.Dir, name string, head HeadStore) (Report, error) {
	return verify(dir, name, Options{Head: head, BootID: currentBoot()})
}

func verify(dir *safefs.Dir, name string, o Options) (Report, error) {
	head := orNoHead(o.Head)
	h, remembered, err := head.Load()
	if err != nil {
		return Report{}, err
	}
	f, err := openSole(dir, name)
	if err != nil {
		return missing(name, err, remembered)
	}
	defer func() { _ = f.Close() }()
	a := newAudit(f, h)
	for range verifyTries {
		if err := a.read(remembered); err != nil {
			return Report{}, fileError(name, err)
		}
		if !remembered {
			return a.report(), nil
		}
		r := a.judge(h, o.BootID)
		// A verdict on the end is only as good as the head was when the end
		// was read; while a writer goes on, read on too.
		now, _, err := head.Load()
		if err != nil {
			return Report{}, err
		}
		settled := r.Broken == nil && r.Torn == nil || a.chain.broken != nil
		if settled || reflect.DeepEqual(h, now) {
			return r, nil
		}
		h = now
	}
	return Report{}, fileError(name, errors.New("its writer is faster than it can be verified"))
}

// missing reports a file that is not there as it should be. That no file is
// there is only wrong if a head remembers one.
func missing(name string, err error, remembered bool) (Report, error) {
	b := fileBroken(err)
	if b == nil || errors.Is(err, fs.ErrNotExist) && !remembered {
		return Report{}, fileError(name, err)
	}
	return Report{End: EndUnattested, Broken: b}, nil
}
