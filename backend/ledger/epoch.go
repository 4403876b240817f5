package ledger

import (
	"crypto/ed25519"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
)

// anchorEvery is after how many records a writer signs the end; a batch is
// not split, so that one more batch may stand between two anchors.
const (
	anchorEvery = 100
	maxUnsigned = anchorEvery - 1 + MaxBatch
)

// Epoch is what the body of an epoch's first record carries, beside what
// else the caller puts there.
type Epoch struct {
	N int `json:"epoch"`
	// PublicKey is ed25519, in hex; its private half never leaves the writer.
	PublicKey string `json:"public_key"`
	// PrevHead is the sum of the record that the epoch follows.
	PrevHead string `json:"prev_head"`
}

// States of an epoch in a Report.
const (
	// Sealed: its last record is a valid anchor.
	Sealed = "sealed"
	// Unsealed: records follow its last anchor; its writer did not close.
	Unsealed = "unsealed tail"
	// Foreign: its key is not the one its writer had announced.
	Foreign = "foreign"
)

// EpochReport is what Verify found of one epoch. Record 1 has epoch 0, which
// has no key and is not reported.
type EpochReport struct {
	N     int    `json:"n"`
	From  uint64 `json:"from"`
	To    uint64 `json:"to"`
	State string `json:"state"`
	key   string
	start int64
}

// cut is the body of a tail_cut record: Bytes that stood unterminated at
// Offset were taken away.
type cut struct {
	Offset int64  `json:"offset"`
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// epochs checks what a chain alone does not show: that each epoch announces
// a key, and that anchors signed with it come often enough.
type epochs struct {
	list []EpochReport
	key  ed25519.PublicKey
	// since counts records that no anchor of this epoch covers.
	since int
	// sealed is the last valid anchor's record.
	sealed uint64
	cuts   []cut
}

// accept takes the next line of an intact chain and says what is wrong with
// it, or nothing.
func (e *epochs) accept(l *line, start int64) string {
	if l.epoch == 0 {
		return ""
	}
	if n := len(e.list); n == 0 || e.list[n-1].N != l.epoch {
		return e.open(l, start)
	}
	current := &e.list[len(e.list)-1]
	if string(l.kind) == KindAnchored {
		if why := e.anchor(l); why != "" {
			return why
		}
		current.To, current.State = l.seq, Sealed
		return ""
	}
	if e.since++; e.since > maxUnsigned {
		return fmt.Sprintf("it is the %d records without an anchor", e.since)
	}
	if string(l.kind) == KindTailCut {
		var c cut
		if json.Unmarshal(l.body, &c) != nil {
			return "it does not say what was cut"
		}
		e.cuts = append(e.cuts, c)
	}
	current.To, current.State = l.seq, Unsealed
	return ""
}

func (e *epochs) open(l *line, start int64) string {
	var body Epoch
	if json.Unmarshal(l.body, &body) != nil {
		return "its body cannot be read"
	}
	key, err := hex.DecodeString(body.PublicKey)
	switch {
	case err != nil || len(key) != ed25519.PublicKeySize:
		return "it begins an epoch without announcing a key"
	case body.N != l.epoch || body.PrevHead != string(l.prev):
		return "it begins an epoch that was made for another place"
	}
	e.key, e.since = key, 1
	e.list = append(e.list, EpochReport{
		N: l.epoch, From: l.seq, To: l.seq, State: Unsealed, key: body.PublicKey, start: start,
	})
	return ""
}

// anchor checks a signature over the record before. The body must be what
// anchorBody writes: the one way to be exact is to write it again.
func (e *epochs) anchor(l *line) string {
	var body struct {
		Sig string `json:"sig"`
	}
	if json.Unmarshal(l.body, &body) != nil {
		return "its body cannot be read"
	}
	sig, err := hex.DecodeString(body.Sig)
	if err != nil || string(anchorBody(l.seq-1, string(l.prev), sig)) != string(l.body) {
		return "it is an anchor for another record"
	}
	if string(l.class) != classAccounting || !ed25519.Verify(e.key, anchored(l.seq-1, string(l.prev)), sig) {
		return "it is an anchor that this epoch's key did not sign"
	}
	e.since, e.sealed = 0, l.seq
	return ""
}

// anchored is what an anchor signs.
func anchored(seq uint64, sum string) []byte {
	return append(strconv.AppendUint(nil, seq, 10), ":"+sum...)
}

func anchorBody(seq uint64, sum string, sig []byte) []byte {
	return fmt.Appendf(nil, `{"seq":%d,"sum":%q,"sig":"%x"}`, seq, sum, sig)
}
