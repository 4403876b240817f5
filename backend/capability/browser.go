package capability

import (
	"fmt"
	"os/exec"
	"runtime"
)

// OpenAddress hands an address to the desktop's own opener. Everybody on this
// machine can see it meanwhile, so it must not hold a secret.
func OpenAddress(url string) error {
	program := "xdg-open"
	if runtime.GOOS == "darwin" {
		program = "open"
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return fmt.Errorf("there is no %s", program)
	}
	cmd := exec.Command(path, url)
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
