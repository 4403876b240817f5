package guard

import "os"

// openSelf can only give the name: macOS does not execute a descriptor. An
// upgrade in the middle of a run shows as another digest.
func openSelf() (*Program, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &Program{Path: path, file: f}, nil
}
