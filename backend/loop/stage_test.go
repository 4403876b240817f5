package loop_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"longwatch/backend/check"
	"longwatch/backend/loop"
	"longwatch/backend/run"
)

// line is one entry of a script: who says what, and what else happens then.
type line struct {
	who   string
	flags []string
	text  string
}

// readScript reads `who: [flag] text` lines; indented lines go on.
func readScript(t testing.TB, text string) []line {
	t.Helper()
	var out []line
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\n")
		who, rest, ok := strings.Cut(l, ":")
		switch {
		case strings.TrimSpace(l) == "" || strings.HasPrefix(l, "#"):
		case strings.HasPrefix(l, "  ") && len(out) > 0:
			out[len(out)-1].text += "\n" + l[2:]
		case ok:
			e := line{who: who}
			for rest = strings.TrimSpace(rest); strings.HasPrefix(rest, "["); rest = strings.TrimSpace(rest) {
				var flag string
				flag, rest, _ = strings.Cut(rest[1:], "]")
				e.flags = append(e.flags, flag)
			}
			e.text = rest
			out = append(out, e)
		default:
			t.Fatalf("script: %q is neither `who: …` nor indented", l)
		}
	}
	return out
}

// stage is everything outside the loop: the roles, played from a script, and a
// real folder they write to.
type stage struct {
	t       testing.TB
	j       *journal
	root    string
	lines   []line
	seen    map[string]string
	later   []string // files somebody writes while no role is at work, one a look
	busy    bool     // somebody writes all the time
	briefs  []loop.Episode
	kept    map[string]string
	saved   []map[string]string // checkpoints, c1 first
	spoken  int
	written int
	running bool // what Reap will find
	reaped  run.PhaseStarted
}

// died is thrown by a worker that is killed, curtain by a script that ends
// while the run goes on.
type (
	died    struct{}
	curtain struct{ next string }
)

// next takes the script's next line of a role or of the person.
func (s *stage) next(who string) (line, bool) {
	i := slices.IndexFunc(s.lines, func(l line) bool { return l.who == who })
	if i < 0 {
		return line{}, false
	}
	l := s.lines[i]
	s.lines = slices.Delete(s.lines, i, i+1)
	return l, true
}

// Play implements loop.Crew.
func (s *stage) Play(_ context.Context, ep loop.Episode, begin func(run.Process) error) loop.Answer {
	who := string(ep.Phase.Role())
	l, ok := s.next(who)
	if !ok && who == "reporter" {
		l, ok = line{text: "The reply."}, true
	}
	if !ok {
		panic(curtain{fmt.Sprintf("%s of round %d would be next", ep.Phase, ep.Round)})
	}
	a := loop.Answer{Agent: "script"}
	if i := slices.IndexFunc(l.flags, func(f string) bool { return strings.HasPrefix(f, "before: ") }); i >= 0 {
		// Something is decided between the brief and the start: the episode
		// must not run, and comes again with another brief.
		flag := strings.TrimPrefix(l.flags[i], "before: ")
		s.lines = slices.Insert(s.lines, 0, line{l.who, slices.Delete(l.flags, i, i+1), l.text})
		must(s.t, s.command(flag))
		if begin(run.Process{PID: 1}) == nil {
			s.t.Error("an episode began with a brief that was out of date")
		}
		return a
	}
	s.briefs = append(s.briefs, ep)
	if slices.Contains(l.flags, "start") {
		a.Fail, a.Detail = run.FailStart, "no such program"
		return a
	}
	if err := begin(run.Process{PID: 1}); err != nil {
		s.t.Errorf("the start of %s was refused: %v", ep.Phase, err)
		return a
	}
	for _, f := range l.flags {
		if f == "disturbed" && !ep.Alone {
			s.t.Errorf("the %s is to be left to its end", ep.Phase)
		}
		s.flag(f, &a)
	}
	if slices.Contains(l.flags, "undisturbed") && ep.Alone {
		s.t.Errorf("the %s would be ended for nothing once more", ep.Phase)
	}
	a.Said = spell(l)
	return a
}

// flag does what a role does besides talking.
func (s *stage) flag(f string, a *loop.Answer) {
	word, arg, _ := strings.Cut(f, " ")
	switch word {
	case "undisturbed":
	case "timeout", "flood", "exit", "disturbed":
		a.Fail, a.Detail = run.FailKind(word), "it ended early"
		a.Exit = len(arg)
	case "canceled":
		a.Fail, a.Detail = run.FailCanceled, "it was ended"
	case "throttled":
		d, err := time.ParseDuration(arg)
		must(s.t, err)
		a.Fail, a.Detail, a.RetryAt = run.FailThrottled, "429", s.j.now+d.Milliseconds()
	case "tokens":
		_, err := fmt.Sscan(arg, &a.Usage.Tokens)
		must(s.t, err)
	case "takes":
		d, err := time.ParseDuration(arg)
		must(s.t, err)
		a.Usage.Millis = d.Milliseconds()
	case "writes":
		s.write(arg)
	case "later":
		s.later = append(s.later, strings.Split(arg, " then ")...)
	case "busy":
		s.busy = true
	case "calm":
		s.busy = false
	case "dies":
		s.running = arg == "alive"
		panic(died{})
	default:
		must(s.t, s.command(f))
	}
}

// command is what the person does, at any time.
func (s *stage) command(f string) error {
	word, arg, _ := strings.Cut(f, " ")
	s.spoken++
	switch word {
	case "message":
		return s.j.Append(run.MessageReceived{ID: fmt.Sprintf("m%d", s.spoken), Text: arg})
	case "stop", "abort":
		return s.j.Append(run.StopRequested{Abort: word == "abort"})
	case "pause", "go":
		return s.j.Append(run.PauseSet{Paused: word == "pause"})
	case "end":
		return s.j.Append(run.GateAnswered{Gate: s.j.state.Gate.Gate, End: true})
	case "continue":
		a := run.GateAnswered{Gate: s.j.state.Gate.Gate, Text: arg}
		if n, text, _ := strings.Cut(arg, " "); strings.HasPrefix(n, "+") {
			a.Text = text
			_, err := fmt.Sscanf(n, "+%d", &a.Rounds)
			must(s.t, err)
		}
		return s.j.Append(a)
	case "writes":
		s.write(arg)
		return nil
	}
	return fmt.Errorf("script: there is no flag %q", f)
}

// spell writes a verdict's three lines from three words, and the effect from a
// fourth.
func spell(l line) string {
	if w := strings.Fields(l.text); l.who == "auditor" && (len(w) == 3 || len(w) == 4) && !strings.Contains(l.text, ":") {
		text := fmt.Sprintf("Status: %s\nIntegrity: %s\nContract audit: %s\n", w[0], w[1], w[2])
		if len(w) == 4 {
			text += "Effect: " + w[3] + "\n"
		}
		return text
	}
	return l.text
}

// write writes a file, with a text of its own unless one is given.
func (s *stage) write(arg string) {
	name, text, ok := strings.Cut(arg, " ")
	if !ok {
		text = fmt.Sprintf("write %d\n", s.written)
		s.written++
	}
	must(s.t, os.WriteFile(filepath.Join(s.root, name), []byte(text), 0o600))
}

// Reap implements loop.Crew.
func (s *stage) Reap(p run.PhaseStarted) (bool, error) {
	s.reaped = p
	return s.running, nil
}

// Observe implements loop.Workspace by reading everything; names that end in
// .log are the ignored ones.
func (s *stage) Observe(context.Context, bool) (run.Changes, error) {
	if s.j.state.Open == nil && len(s.later) > 0 {
		s.write(s.later[0])
		s.later = s.later[1:]
	}
	if s.busy {
		s.write("busy.txt")
	}
	now := s.scan()
	c := run.Changes{Tree: fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, now)))}
	for name, text := range now {
		if was, ok := s.seen[name]; !ok || was != text {
			what := "content"
			if !ok {
				what = "added"
			}
			ignored := strings.HasSuffix(name, ".log")
			c.First = append(c.First, run.Change{Path: name, What: what, Kind: "file", Ignored: ignored})
			c.Counts = c.Counts || !ignored
		}
	}
	slices.SortFunc(c.First, func(a, b run.Change) int { return strings.Compare(a.Path, b.Path) })
	c.Count, s.seen = len(c.First), now
	return c, nil
}

func (s *stage) scan() map[string]string {
	out := map[string]string{}
	must(s.t, filepath.WalkDir(s.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[filepath.Base(path)] = string(b)
		return err
	}))
	return out
}

// Check implements loop.Checker.
func (s *stage) Check(ctx context.Context, c check.Check) check.Result {
	if _, ok := s.next("check"); ok {
		panic(died{})
	}
	return check.Evaluate(ctx, c, check.Env{Root: s.root})
}

// Keep implements loop.Keeper.
func (s *stage) Keep(round int, name, text string, _ bool) (string, error) {
	name = fmt.Sprintf("rounds/%d/%s", round, name)
	s.kept[name] = text
	return name, nil
}

// Save implements loop.Checkpoints.
func (s *stage) Save(_ context.Context, round int, at loop.Occasion) run.Checkpointed {
	if l, ok := s.next("keeper"); ok && l.text == "full" {
		return run.Checkpointed{Round: round, Problem: "disk is full"}
	}
	s.saved = append(s.saved, s.scan())
	return run.Checkpointed{ID: fmt.Sprintf("c%d", len(s.saved)), Round: round, Tree: s.j.state.Tree, Supported: at == loop.AtVerdict}
}

// Restore implements loop.Checkpoints.
func (s *stage) Restore(ctx context.Context, id string) ([]run.Event, error) {
	var n int
	if _, err := fmt.Sscanf(id, "c%d", &n); err != nil {
		return nil, err
	}
	for name := range s.scan() {
		must(s.t, os.Remove(filepath.Join(s.root, name)))
	}
	for name, text := range s.saved[n-1] {
		s.write(name + " " + text)
	}
	c, err := s.Observe(ctx, true)
	c.Counts = true
	return []run.Event{run.Restored{Checkpoint: id, Changes: c}}, err
}
