package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// shown is `show --json`: the summary, with outcome empty while the run goes
// on, and what is believed and asked.
type shown struct {
	rundir.Summary
	Limits   run.Limits    `json:"limits"`
	Used     run.Usage     `json:"used"`
	Records  []run.Belief  `json:"records"`
	Contract string        `json:"contract,omitempty"`
	Open     *run.OpenGate `json:"open_gate,omitempty"`
	Reply    string        `json:"reply,omitempty"`
	History  []shownRound  `json:"history"`
	Path     string        `json:"path"` // of the run's folder
}

// shownRound is one round in short.
type shownRound struct {
	N       int      `json:"n"`
	Step    string   `json:"step,omitempty"`
	End     run.End  `json:"end"`
	Verdict string   `json:"verdict,omitempty"`
	Reasons []string `json:"reasons,omitempty"`
	Why     string   `json:"why,omitempty"`
	Changed int      `json:"changed"` // entries its executor changed
}

func (a *app) showCommand() *cobra.Command {
	var round int
	var follow bool
	c := &cobra.Command{
		Use: "show RUN", Short: "Show what is verified, by which round, and why the run waits",
		Long: `Shows what is believed and by which round, and what the run asks. With --follow it
goes on showing, one line an event, until the run ends: also what changes in the
workspace, as it is seen. That is a look; what counts is in the records. It starts
no worker and answers nothing, and Ctrl-C does not touch the run.`,
		Example: `  longwatch show last
  longwatch show last --round 3
  longwatch show last --follow
  longwatch show last --json | jq -r .outcome`,
		Args: cobra.ExactArgs(1), ValidArgsFunction: a.runArg,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.withRun(args[0], func(_ *rundir.Home, r *rundir.Run) error {
				s, err := r.Fold()
				if err != nil {
					return err
				}
				switch {
				case round != 0:
					return a.showRound(s, round)
				case follow && s.Finished == nil:
					return a.live(r, s)
				}
				return a.showRun(r, s)
			})
		},
	}
	c.Flags().IntVar(&round, "round", 0, "show one round whole")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on showing until the run ends")
	c.MarkFlagsMutuallyExclusive("round", "follow")
	return c
}

func (a *app) showRun(r *rundir.Run, s *run.State) error {
	_, alive := r.Worker()
	sum := rundir.Summarise(s, alive)
	if spec, err := r.Spec(s.Created); err == nil {
		sum.CreatedAt = spec.CreatedAt
	}
	if a.json {
		out := shown{
			Summary: sum, Limits: s.Limits, Used: s.Used, Records: s.Records, Contract: s.Contract,
			Open: s.Gate, History: history(s), Path: r.Path(),
		}
		out.Reply = reply(s)
		return printJSON(a.out, out)
	}
	p := &page{}
	p.line("%s", s.Created.Title)
	p.field("run", r.ID)
	p.field("state", stateLine(sum))
	p.field("workspace", s.Created.Workspace)
	p.field("rounds", fmt.Sprintf("%d of %d, %s at work", len(s.Rounds), s.Limits.Rounds, seconds(s.Used.Millis)))
	p.field("guard", s.Host.Guard)
	p.field("records", r.Path())
	p.records(s)
	p.rounds(s)
	if s.Gate != nil {
		p.line("\nIt asks (%s): %s", s.Gate.Trigger, s.Gate.Question)
		for _, d := range s.Gate.Details {
			p.line("  %s", strings.ReplaceAll(d, "\n", "\n  "))
		}
		p.line("  answer with `longwatch answer %s continue` or `longwatch answer %s end`", r.ID, r.ID)
	}
	// The question whether to accept a result shows the reply already.
	if text := reply(s); text != "" && (s.Gate == nil || s.Gate.Trigger != run.GateCompleted) {
		p.line("\n%s", text)
	}
	_, err := fmt.Fprint(a.out, p.String())
	return err
}

// reply is the reporter's newest answer, unless the run went on after it.
func reply(s *run.State) string {
	if s.Reply == nil || !s.Replied {
		return ""
	}
	return strings.TrimSpace(s.Reply.Text)
}

func stateLine(s rundir.Summary) string {
	line := s.State
	if s.Outcome != "" {
		line = string(s.Outcome)
	}
	if s.Phase != "" {
		line += ": " + string(s.Phase)
	}
	if s.Reason != "" {
		line += " — " + s.Reason
	}
	return line
}

func history(s *run.State) []shownRound {
	out := []shownRound{}
	for _, r := range s.Rounds {
		h := shownRound{N: r.N, End: r.End, Why: r.Why()}
		if r.Plan != nil {
			h.Step = r.Plan.Task
			if h.Step == "" {
				h.Step = string(r.Plan.Route)
			}
		}
		if r.Audited != nil {
			h.Verdict, h.Reasons = r.Audited.Verdict.String(), r.Audited.Reasons
		}
		for _, c := range r.Changes {
			if c.During == run.Execute {
				h.Changed += c.Count
			}
		}
		out = append(out, h)
	}
	return out
}

// page builds what show prints.
type page struct{ strings.Builder }

func (p *page) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p *page) field(name, value string) { p.line("  %-10s %s", name, value) }

func (p *page) records(s *run.State) {
	if len(s.Records) == 0 {
		return
	}
	p.line("\nWhat is believed:")
	for _, b := range s.Records {
		p.line("  %s", b.String())
	}
}

func (p *page) rounds(s *run.State) {
	if len(s.Rounds) == 0 {
		return
	}
	p.line("\nRounds:")
	for _, h := range history(s) {
		verdict := h.Verdict
		if verdict == "" {
			verdict = string(h.End)
		}
		p.line("  %-4d %-36s %s", h.N, dash(verdict), firstLine(h.Step))
		if h.Why != "" {
			p.line("       %s", h.Why)
		}
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func (a *app) showRound(s *run.State, n int) error {
	r := s.Round(n)
	if r == nil {
		return usagef("there is no round %d; the run has %d", n, len(s.Rounds))
	}
	if a.json {
		return printJSON(a.out, r)
	}
	p := &page{}
	p.line("Round %d of %s: %s", n, s.Created.Title, dash(string(r.End)))
	if r.PlanSaid != nil {
		p.text("Plan", *r.PlanSaid)
	}
	if r.Executed != nil {
		p.line("\nExecutor: exit %d %s", r.Executed.Exit, r.Executed.Fail)
		p.text("", r.Executed.Said)
	}
	for _, c := range r.Changes {
		p.line("\nChanged during %s: %d", c.During, c.Count)
		for _, ch := range c.First {
			p.line("  %s", ch)
		}
	}
	p.checks("Checks", r.Checked)
	p.audit("Audit", r.Audited)
	p.checks("Final checks", r.FinalChecked)
	p.audit("Final audit", r.Final)
	if w := r.Why(); w != "" {
		p.line("\nNot supported: %s", w)
	}
	if u := r.Undone; u != nil {
		p.line("\nPut back: %d entries, to the state %s", u.Count, stateOf(u))
		for _, l := range u.Left {
			p.line("  not put back: %s", l)
		}
	}
	_, err := fmt.Fprint(a.out, p.String())
	return err
}

func stateOf(u *run.Undone) string {
	if u.Supported {
		return fmt.Sprintf("that the verdict of round %d supports", u.To)
	}
	return fmt.Sprintf("before round %d began", u.To)
}

func (p *page) text(head string, t run.Text) {
	if head != "" {
		p.line("\n%s:", head)
	}
	p.line("  %s", strings.ReplaceAll(strings.TrimSpace(t.Text), "\n", "\n  "))
	if t.File != "" {
		p.line("  (whole: %s, sha256 %s)", t.File, t.SHA256)
	}
}

func (p *page) checks(head string, c *run.Checked) {
	if c == nil {
		return
	}
	p.line("\n%s:", head)
	for _, r := range c.Results {
		p.line("  %-5s %s\n        %s", r.Status, r.Check, r.Proof)
	}
	if c.Hidden > 0 {
		p.line("  fail  a hidden acceptance check failed")
	}
}

func (p *page) audit(head string, au *run.Audited) {
	if au == nil {
		return
	}
	p.line("\n%s: %s", head, au.Verdict)
	for _, r := range au.Reasons {
		p.line("  lowered: %s", r)
	}
	p.text("", au.Report)
}
