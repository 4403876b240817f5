package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/klauspost/compress/zstd"

	"longwatch/backend/guard"
)

// A checkpoint file is pointMagic, one zstd stream, and the SHA-256 of both.
// The stream holds the summary as JSON and the extended attributes, each
// after its length as a varint, and then the manifest as guard saves it.
const (
	pointMagic    = "longwatch checkpoint 1\n"
	maxSummary    = 64 << 20
	maxAttributes = 256 << 20
	maxWindow     = 64 << 20
)

// state is a loaded checkpoint.
type state struct {
	Checkpoint
	manifest *guard.Manifest
	attrs    attributes
}

// state loads a checkpoint. Errors wrap ErrUnknown or ErrDamaged, or are the
// disk's.
func (s *Store) state(id string) (*state, error) {
	if s.prev != nil && s.prev.ID == id {
		return s.prev, nil
	}
	if !validID(id) {
		return nil, fmt.Errorf("checkpoint %q: %w", id, ErrUnknown)
	}
	data, err := s.points.ReadFile(id, maxPointFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("checkpoint %q: %w", id, ErrUnknown)
	}
	if err != nil {
		return nil, err
	}
	p, err := decodePoint(id, data)
	if err != nil {
		return nil, fmt.Errorf("checkpoint %q: %w", id, err)
	}
	return p, nil
}

func encodePoint(p *state) ([]byte, error) {
	summary, err := json.Marshal(p.Checkpoint)
	if err != nil {
		return nil, err
	}
	attrs := p.attrs.encode()
	if len(summary) > maxSummary || len(attrs) > maxAttributes {
		return nil, errors.New("more extended attributes or unstored entries than a checkpoint can hold")
	}
	out := bytes.NewBufferString(pointMagic)
	z, err := zstd.NewWriter(out, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	for _, part := range [][]byte{summary, attrs} {
		_, _ = z.Write(binary.AppendUvarint(nil, uint64(len(part))))
		_, _ = z.Write(part) // a write to memory: Close would have the error
	}
	if err := p.manifest.Save(z); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(out.Bytes())
	p.Digest = hex.EncodeToString(sum[:])
	return append(out.Bytes(), sum[:]...), nil
}

// decodeSummary reads a checkpoint file's first part, after checking that the
// file is whole.
func decodeSummary(id string, data []byte) (Checkpoint, error) {
	var c Checkpoint
	err := decode(data, func(r *bytesReader, digest string) (err error) {
		c, err = summary(id, r, digest)
		return err
	})
	return c, err
}

func decodePoint(id string, data []byte) (*state, error) {
	p := &state{}
	err := decode(data, func(r *bytesReader, digest string) (err error) {
		if p.Checkpoint, err = summary(id, r, digest); err != nil {
			return err
		}
		part, err := section(r, maxAttributes)
		if err != nil {
			return err
		}
		if p.attrs, err = decodeAttributes(part); err != nil {
			return err
		}
		if p.manifest, err = guard.LoadManifest(r); err != nil {
			return err
		}
		if p.manifest.Digest() != p.Tree {
			return errors.New("it holds another tree than it says")
		}
		return nil
	})
	return p, err
}

func decode(data []byte, do func(r *bytesReader, digest string) error) error {
	end := len(data) - sha256.Size
	if end < len(pointMagic) || string(data[:len(pointMagic)]) != pointMagic {
		return fmt.Errorf("%w: not a whole checkpoint", ErrDamaged)
	}
	sum := sha256.Sum256(data[:end])
	if !bytes.Equal(sum[:], data[end:]) {
		return fmt.Errorf("%w: the checkpoint has another digest", ErrDamaged)
	}
	z, err := zstd.NewReader(bytes.NewReader(data[len(pointMagic):end]),
		zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	defer z.Close()
	if err := do(&bytesReader{z}, hex.EncodeToString(sum[:])); err != nil {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return nil
}

// bytesReader reads varints without taking more than their bytes.
type bytesReader struct{ io.Reader }

func (r *bytesReader) ReadByte() (byte, error) {
	var b [1]byte
	_, err := io.ReadFull(r, b[:])
	return b[0], err
}

func section(r *bytesReader, limit uint64) ([]byte, error) {
	n, err := binary.ReadUvarint(r)
	if err != nil {
		return nil, err
	}
	if n > limit {
		return nil, errors.New("absurd length")
	}
	// Not made at once: the length is only a claim.
	b, err := io.ReadAll(io.LimitReader(r, int64(n)))
	if err == nil && uint64(len(b)) != n {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

func summary(id string, r *bytesReader, digest string) (Checkpoint, error) {
	var c Checkpoint
	part, err := section(r, maxSummary)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(part, &c); err != nil {
		return c, err
	}
	if c.ID != id {
		return c, fmt.Errorf("it is checkpoint %q", c.ID)
	}
	c.Digest = digest
	return c, nil
}
