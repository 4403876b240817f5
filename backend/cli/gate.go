package cli

import (
	"fmt"
	"strconv"
	"strings"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// prompt is a gate as it is put to a person at a terminal.
func prompt(g run.GateOpened) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n? %s\n", g.Question)
	for _, d := range g.Details {
		fmt.Fprintf(&b, "    %s\n", strings.ReplaceAll(d, "\n", "\n    "))
	}
	for i, c := range g.Choices {
		fmt.Fprintf(&b, "  %d) %s\n", i+1, c)
	}
	fmt.Fprintf(&b, "  %s\n> ", help(g.Trigger))
	return b.String()
}

// help says what can be typed at a gate.
func help(t run.Trigger) string {
	switch t {
	case run.GateCompleted:
		return "accept, or: continue [+N rounds] what to do next"
	case run.GateMaxRounds:
		return "continue +N, or: end"
	case run.GateNeedsInput:
		return "type the answer, or: end"
	case run.GateNeedsHuman, run.GateRepeatedFailure:
		return "continue [+N rounds] [what to do], or: end"
	}
	return "continue, or: end"
}

// parseAnswer reads what a person typed at a gate.
func parseAnswer(g run.GateOpened, line string) (rundir.Command, error) {
	c := rundir.Command{Kind: rundir.CommandAnswer, Gate: g.Gate}
	word, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case "":
		return c, fmt.Errorf("%s", help(g.Trigger))
	case "end", "e", "结束":
		c.End = true
		return c, nil
	case "accept", "a", "接受":
		if g.Trigger != run.GateCompleted {
			return c, fmt.Errorf("there is nothing to accept here: %s", help(g.Trigger))
		}
		c.End = true
		return c, nil
	case "continue", "c", "继续":
		return more(c, rest)
	}
	if strings.HasPrefix(word, "+") {
		return more(c, line)
	}
	if g.Trigger != run.GateNeedsInput {
		return c, fmt.Errorf("%q is not an answer: %s", word, help(g.Trigger))
	}
	if n, err := strconv.Atoi(line); err == nil && n >= 1 && n <= len(g.Choices) {
		line = g.Choices[n-1]
	}
	c.Text = line
	return c, nil
}

// more reads "+N" and an instruction.
func more(c rundir.Command, rest string) (rundir.Command, error) {
	rest = strings.TrimSpace(rest)
	if n, ok := strings.CutPrefix(rest, "+"); ok {
		digits, text, _ := strings.Cut(n, " ")
		rounds, err := strconv.Atoi(digits)
		if err != nil || rounds < 1 {
			return c, fmt.Errorf("+%s: say how many rounds to add, such as +5", digits)
		}
		c.Rounds, rest = rounds, strings.TrimSpace(text)
	}
	c.Text = rest
	return c, nil
}
