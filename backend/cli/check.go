package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"longwatch/backend/config"
	"longwatch/backend/task"
)

// understood is `check --json`.
type understood struct {
	OK       bool             `json:"ok"`
	Problems []config.Problem `json:"problems"`
	Task     *task.Task       `json:"task,omitempty"`
}

func (a *app) checkCommand() *cobra.Command {
	return &cobra.Command{
		Use: "check FILE", Short: "Say what a task file is understood to ask for",
		Long:    "Reads a task file without starting anything. Exit code 2 when it would be refused.",
		Example: "  longwatch check task.md",
		Args:    cobra.ExactArgs(1),
		RunE:    func(_ *cobra.Command, args []string) error { return a.check(args[0]) },
	}
}

func (a *app) check(path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	data, problems := task.Read(abs)
	out := understood{Problems: problems}
	if !config.Refused(problems) {
		t, more := task.Parse(filepath.Base(abs), data)
		out.Problems = append(out.Problems, more...)
		out.Task = &t
	}
	out.OK = !config.Refused(out.Problems)
	if !out.OK {
		out.Task, a.code = nil, ExitUsage
	}
	if a.json {
		if out.Problems == nil {
			out.Problems = []config.Problem{}
		}
		return printJSON(a.out, out)
	}
	if !out.OK {
		return usage(&config.RefusedError{Problems: out.Problems})
	}
	fmt.Fprint(a.out, preview(*out.Task))
	for _, p := range out.Problems {
		fmt.Fprintf(a.err, "%s: %s\n", p.Severity, p.Sentence())
	}
	return nil
}

// preview is a task in plain words.
func preview(t task.Task) string {
	p := &page{}
	p.line("%s", t.Title)
	p.field("agent", dash(t.Agent))
	p.field("workspace", orElse(t.Workspace, "the folder of the task file, or -w"))
	p.field("surface", t.Surface)
	p.field("guard", "at least "+t.MinGuard)
	if t.Limits.Rounds > 0 {
		p.field("rounds", fmt.Sprint(t.Limits.Rounds))
	}
	if t.Limits.Cost > 0 {
		p.field("cost", t.Limits.Cost.String())
	}
	for _, g := range t.Grants {
		p.field("asks for", fmt.Sprintf("%s (write: %v)", g.Path, g.Write))
	}
	if t.Display == "mine" {
		p.field("asks for", "your own screen")
	}
	p.requirements(t)
	if len(t.Checks) > 0 {
		p.line("\nDone only when these hold:")
		for _, c := range t.Checks {
			p.line("  %s", c)
		}
	}
	if n := len(t.Hidden); n > 0 {
		p.line("\nand %d hidden checks (agents are not told; at guard level detect they could find out)", n)
	}
	p.line("\nsha256 %s", t.Digest)
	return p.String()
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func (p *page) requirements(t task.Task) {
	reqs := t.Requirements()
	if len(reqs) == 0 {
		p.line("\nIt names no requirements; the manager derives them from the text.")
		return
	}
	p.line("\nRequirements:")
	steps := map[string]task.Step{}
	for _, s := range t.Steps {
		steps[s.Requirement] = s
	}
	for _, r := range reqs {
		p.line("  %-4s %s (line %d)", r.ID, r.Text, r.Line)
		s, ok := steps[r.ID]
		if !ok {
			continue
		}
		p.line("       run     %s", firstLine(strings.TrimSpace(s.Run)))
		for _, c := range s.Expect {
			p.line("       expect  %s", c)
		}
		for _, e := range s.Else {
			p.line("       else    %s", firstLine(strings.TrimSpace(e.Run)))
		}
	}
}
