package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// The scenario language. A file roles.txt says what each role does in each
// episode, in plain words of the protocol:
//
//	@ plan 2.1
//	Next: cli
//	Task: write out.txt
//	@ audit
//	! run echo changed > out.txt
//	Status: complete
//
// A heading is a phase, then a round and an attempt where it matters; the
// closest one counts. What stands below is said, line by line. A line that
// begins with "! " does something instead:
//
//	! run COMMAND     a shell command in the episode's working folder
//	! say COMMAND     the same, its output said; it reads what the role was told
//	! prompt FILE     keep what the role was told
//	! exit CODE       end here
//	! hang            say nothing more until ended
//	! flood           write without end
//	! orphan FILE     leave a child in a session of its own, its pid in FILE
//	! raw TEXT        write a quoted Go string as it is

// playScenario is the agent's main: one episode.
func playScenario(args []string) int {
	if len(args) == 1 && args[0] == "orphan" {
		time.Sleep(5 * time.Minute)
		return 0
	}
	prompt, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = play(args[0], prompt)
	}
	var code exitCode
	if c, ok := err.(exitCode); ok {
		code = c
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "fake-agent:", err)
		code = 90
	}
	return int(code)
}

type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit %d", int(c)) }

func play(file string, prompt []byte) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	phase, round, attempt := os.Getenv("LONGWATCH_PHASE"), os.Getenv("LONGWATCH_ROUND"), os.Getenv("LONGWATCH_ATTEMPT")
	for _, name := range []string{phase + " " + round + "." + attempt, phase + " " + round, phase} {
		lines, ok := part(string(text), name)
		if !ok {
			continue
		}
		for _, line := range lines {
			if err := act(line, prompt); err != nil {
				return err
			}
		}
		return nil
	}
	return fmt.Errorf("the scenario has no %s of round %s, attempt %s", phase, round, attempt)
}

// part returns the lines below a heading.
func part(text, name string) (lines []string, ok bool) {
	in := false
	for line := range strings.Lines(text) {
		if head, is := strings.CutPrefix(line, "@ "); is {
			in = strings.TrimSpace(head) == name
			ok = ok || in
		} else if in {
			lines = append(lines, line)
		}
	}
	return lines, ok
}

// act says a line, or does what it asks for.
func act(line string, prompt []byte) error {
	order, is := strings.CutPrefix(line, "! ")
	if !is {
		_, err := os.Stdout.WriteString(line)
		return err
	}
	word, rest, _ := strings.Cut(strings.TrimSpace(order), " ")
	switch word {
	case "run":
		cmd := exec.Command("/bin/sh", "-c", rest)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		return cmd.Run()
	case "say":
		cmd := exec.Command("/bin/sh", "-c", rest)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(prompt), os.Stdout, os.Stderr
		return cmd.Run()
	case "prompt":
		return os.WriteFile(rest, prompt, 0o600)
	case "exit":
		code, err := strconv.Atoi(rest)
		if err != nil {
			return err
		}
		return exitCode(code)
	case "hang":
		time.Sleep(5 * time.Minute)
		return fmt.Errorf("nobody ended the agent")
	case "flood":
		return flood()
	case "orphan":
		return orphan(rest)
	case "raw":
		said, err := strconv.Unquote(rest)
		if err == nil {
			_, err = os.Stdout.WriteString(said)
		}
		return err
	}
	return fmt.Errorf("no order %q", word)
}

// flood stops by itself far above any limit a scenario sets.
func flood() error {
	block := bytes.Repeat([]byte("flood "), 10<<10)
	for range 20 << 10 {
		if _, err := os.Stdout.Write(block); err != nil {
			return err
		}
	}
	return fmt.Errorf("nobody ended the flood")
}

// orphan leaves a child that no signal to our group reaches.
func orphan(file string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(self, "orphan")
	cmd.Args[0] = "fake-agent"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
}
