package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// Program is our own executable, as it was when this process started.
type Program struct {
	Path   string // to run it, from this process only
	Digest string // hex SHA-256 of its bytes
	file   *os.File
}

// Binary opens the running executable and digests it. Where the system allows,
// Path leads to the open file and not to its name, so that an upgrade in the
// middle of a run never mixes two versions.
func Binary() (*Program, error) {
	p, err := openSelf()
	if err != nil {
		return nil, fmt.Errorf("open our own program: %w", err)
	}
	h := sha256.New()
	if _, err := io.Copy(h, io.NewSectionReader(p.file, 0, 1<<62)); err != nil {
		p.Close()
		return nil, fmt.Errorf("digest our own program: %w", err)
	}
	p.Digest = hex.EncodeToString(h.Sum(nil))
	return p, nil
}

// Close makes Path useless.
func (p *Program) Close() { _ = p.file.Close() }
