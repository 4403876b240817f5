package ledger

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"
	"time"

	"longwatch/backend/safefs"
)

// Options of a writer. All have defaults: no head is kept, time.Now,
// crypto/rand, and the machine's own boot id.
type Options struct {
	Head   HeadStore
	Now    func() time.Time
	Rand   io.Reader
	BootID string
}

func (o Options) withDefaults() Options {
	o.Head = orNoHead(o.Head)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.BootID == "" {
		o.BootID = currentBoot()
	}
	return o
}

// Writer adds records to one ledger, of which it is the only writer. Its
// methods may be called from several goroutines. After the first failure to
// write it refuses everything with that failure: what it had acknowledged is
// on disk, and Open goes on from there.
type Writer struct {
	dir    *safefs.Dir
	name   string
	o      Options
	report Report

	mu   sync.Mutex
	file *os.File
	key  ed25519.PrivateKey
	head Head
	end  position
	// since counts records of this epoch that no anchor covers yet.
	since int
	// cuts are torn tails that no record names yet.
	cuts []cut
	err  error
}

// position is the end of a ledger.
type position struct {
	seq   uint64
	sum   string
	epoch int
	size  int64
}

// Open verifies a whole ledger with its head and makes it ready for Begin.
// It fails with ErrHeld while another writer has it and with a *BrokenError
// if anything is wrong with it. An unterminated last line is cut, and Begin
// records that. dir must stay open until Close.
func Open(dir *safefs.Dir, name string, o Options) (*Writer, error) {
	o = o.withDefaults()
	f, err := dir.OpenExisting(name)
	if err != nil {
		return nil, openError(name, err, o.Head)
	}
	w := &Writer{dir: dir, name: name, o: o, file: f}
	if err := w.admit(); err != nil {
		_, _ = safefs.Drop(f), f.Close()
		return nil, err
	}
	return w, nil
}

// openError tells a ledger that is gone from one that never was.
func openError(name string, err error, head HeadStore) error {
	if !errors.Is(err, os.ErrNotExist) {
		return fileError(name, err)
	}
	if _, remembered, _ := head.Load(); remembered {
		return fileError(name, err)
	}
	return fmt.Errorf("ledger %q: %w", name, err)
}

// admit takes the lock and then looks, so that what it sees stays so.
func (w *Writer) admit() error {
	if err := safefs.Hold(w.file); err != nil {
		return fmt.Errorf("ledger %q: %w", w.name, err)
	}
	if _, err := w.dir.Sole(w.name, w.file); err != nil {
		return fileError(w.name, err)
	}
	head, remembered, err := w.o.Head.Load()
	if err != nil {
		return fmt.Errorf("ledger %q: %w", w.name, err)
	}
	a := newAudit(w.file, head)
	if err := a.read(remembered); err != nil {
		return fileError(w.name, err)
	}
	w.report = a.report()
	if remembered {
		w.report = a.judge(head, w.o.BootID)
	}
	if b := w.report.Broken; b != nil {
		return &BrokenError{Name: w.name, Broken: *b}
	}
	w.head = head
	w.adopt(a)
	if err := w.cutTail(a); err != nil {
		return fmt.Errorf("ledger %q: torn tail: %w", w.name, err)
	}
	// A killed writer's last records may be on their way to the disk still;
	// the head that Begin saves must not be there before them.
	return w.failed(safefs.Datasync(w.file))
}

func (w *Writer) failed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("ledger %q: %w", w.name, err)
}

// adopt goes on from the end that was verified.
func (w *Writer) adopt(a *audit) {
	w.end = position{a.chain.seq, a.chain.sum.String(), a.chain.epoch, a.chain.lines.off}
	w.head.Seq, w.head.Sum, w.head.Next = w.end.seq, w.end.sum, nil
	w.head.Keys = map[int]string{}
	for _, e := range a.epochs.list {
		w.head.Keys[e.N] = e.key
	}
}

// Report is what Open found before it cut or wrote anything.
func (w *Writer) Report() Report { return w.report }

// Records yields everything in the ledger when it is called, from the first
// record on.
func (w *Writer) Records() iter.Seq2[Record, error] {
	return readFrom(io.NewSectionReader(w.file, 0, w.Size()), w.name)
}

// Seq is the last record's number.
func (w *Writer) Seq() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end.seq
}

// Size is the ledger's length in bytes.
func (w *Writer) Size() int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.end.size
}

// Append adds records in one write and one sync; they are durable when it
// returns. It returns them in order, and after them the anchor if one was
// due. A bad draft is refused with all others of the call. Without drafts it
// makes durable what Note added.
func (w *Writer) Append(drafts ...Draft) ([]Record, error) {
	return w.add(drafts, true)
}

// Note is Append without the sync: a power failure may take the records,
// last ones first, until the next Append, anchor or Close. It is for records
// on which nothing depends.
func (w *Writer) Note(drafts ...Draft) ([]Record, error) {
	return w.add(drafts, false)
}

func (w *Writer) add(drafts []Draft, durable bool) ([]Record, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.ready(); err != nil {
		return nil, err
	}
	if len(drafts) > MaxBatch {
		return nil, fmt.Errorf("ledger %q: %w: %d, the limit is %d",
			w.name, ErrBatchTooLarge, len(drafts), MaxBatch)
	}
	b := w.batch()
	var seal bool
	for _, d := range drafts {
		d, err := d.checked()
		if err != nil {
			return nil, fmt.Errorf("ledger %q: %w", w.name, err)
		}
		b.add(d)
		seal = seal || d.Seal
	}
	if seal || b.since >= anchorEvery {
		b.seal(w.key)
	}
	if err := w.commit(b, durable); err != nil {
		return nil, err
	}
	return b.records, nil
}

func (w *Writer) ready() error {
	if w.err != nil {
		return w.err
	}
	if w.key == nil {
		return fmt.Errorf("ledger %q: %w", w.name, ErrNoEpoch)
	}
	return nil
}

// Close signs the end if that is not done, makes everything durable, marks
// the head closed and gives up the lock. After a failed write it only gives
// up the lock and returns that failure. A second Close returns ErrClosed.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(w.err, ErrClosed) {
		return w.err
	}
	err := w.err
	if err == nil && w.key != nil {
		err = w.finish()
	}
	w.err = fmt.Errorf("ledger %q: %w", w.name, ErrClosed)
	return errors.Join(err, safefs.Drop(w.file), w.file.Close())
}

func (w *Writer) finish() error {
	b := w.batch()
	if b.since > 0 {
		b.seal(w.key)
	}
	if err := w.commit(b, true); err != nil {
		return err
	}
	w.head.Closed = true
	return w.saveHead(true)
}
