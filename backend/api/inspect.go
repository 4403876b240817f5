package api

import (
	"fmt"
	"net/http"

	"longwatch/backend/capability"
	"longwatch/backend/config"
	"longwatch/backend/guard"
	"longwatch/backend/operator"
	"longwatch/backend/rundir"
	"longwatch/backend/task"
	"longwatch/backend/worker"
)

// inspect answers with what a draft is understood to ask for.
func (s *Server) inspect(r *http.Request) (any, error) {
	t, err := decode[TaskDraft](r)
	if err != nil {
		return nil, err
	}
	d, err := s.draft(t)
	if err != nil {
		return nil, err
	}
	out := Inspection{
		Name: quoted(d.name), Text: string(d.data), Size: len(d.data), Digest: d.task.Digest, Title: d.task.Title,
		Problems: []Problem{}, Hidden: len(d.task.Hidden), Steps: len(d.task.Steps),
		Workspace: d.folder, Roles: d.roles(), Agents: d.agents, Limits: d.limits(),
		Guard: string(guard.LevelDetect), Restores: rundir.MayRestore(d.task), Asks: asks(d.task),
		Blockers: d.blockers,
	}
	if out.Blockers == nil {
		out.Blockers = []Blocker{}
	}
	for _, p := range d.problems {
		out.Problems = append(out.Problems, Problem{
			Line: p.Line, Col: p.Col, Severity: string(p.Severity), Code: p.Code, Text: plain(p.Text), Fix: plain(p.Fix),
		})
	}
	for _, q := range d.task.Requirements() {
		out.Requirements = append(out.Requirements, Record{ID: q.ID, Mark: "pending", Text: plain(q.Text), Task: true})
	}
	for _, c := range d.task.Checks {
		out.Checks = append(out.Checks, plain(c.String()))
	}
	return out, nil
}

// roles says who would play, and whether that can be done here.
func (d *draft) roles() []Role {
	cast := rundir.Casting(d.task, d.settings, d.wish)
	out := make([]Role, 0, 4)
	for _, part := range []struct {
		role   config.Role
		player config.Player
	}{
		{config.Manager, cast.Manager},
		{config.Executor, cast.CLIExecutor},
		{config.Auditor, cast.CLIAuditor},
		{config.Reporter, cast.Reporter},
	} {
		p := part.player
		code, reason := rundir.Unplayable(d.task, p, d.agents)
		out = append(out, Role{
			Role: string(part.role), Agent: p.Agent, Model: p.Model, Effort: p.Effort, Usable: code == "", Reason: reason,
		})
	}
	return out
}

func (d *draft) limits() []Budget {
	l := rundir.LimitsOf(d.task, d.settings, d.wish)
	out := []Budget{
		{Name: "rounds", Limit: int64(l.Rounds)},
		{Name: "active_ms", Limit: l.ActiveMillis},
		{Name: "micro_usd", Limit: l.MicroUSD},
		{Name: "tokens", Limit: l.Tokens},
	}
	if l.Deadline > 0 {
		out = append(out, Budget{Name: "deadline", Limit: l.Deadline})
	}
	return out
}

// asks lists what a task wants outside its workspace.
func asks(t task.Task) []string {
	var out []string
	for _, g := range t.Grants {
		mode := "read"
		if g.Write {
			mode = "write"
		}
		out = append(out, fmt.Sprintf("%s (%s)", plain(g.Path), mode))
	}
	if t.Display == "mine" {
		out = append(out, "display: mine")
	}
	if t.Home != "" && t.Home != "overlay" {
		out = append(out, "home: "+t.Home)
	}
	return out
}

// start makes a run of a draft and sends off its worker.
func (s *Server) start(r *http.Request) (any, error) {
	st, err := decode[Start](r)
	if err != nil {
		return nil, err
	}
	if !rundir.ValidID(st.ID) {
		return nil, refuse(http.StatusBadRequest, codeRefused, "id: letters, digits, - and _ only, at most 64")
	}
	b, err := s.starts.do(st.ID, func() (Begun, error) { return s.begin(st.Draft) })
	if err != nil {
		return nil, err
	}
	// The run is there; that its worker is not is a thing its own page says.
	if dir, err := s.o.Home.Open(b.Run); err == nil {
		defer dir.Close()
		s.sentOff(b.Run)
		at := operator.Attendant{Home: s.o.Home, Run: dir, Program: s.o.Program}
		if dir.BeatAt() == 0 {
			if err := at.Attend(false); err != nil {
				f := failure(err)
				if f.Code == codeInternal {
					f = refuse(http.StatusServiceUnavailable, codeNoWorker, "%s", err)
				}
				return nil, f.hint("The run is in the list and can be resumed there.")
			}
		}
	}
	s.hub.look()
	return b, nil
}

func (s *Server) begin(t TaskDraft) (Begun, error) {
	d, err := s.draft(t)
	if err != nil {
		return Begun{}, err
	}
	if len(d.blockers) > 0 {
		b := d.blockers[0]
		code := codeRefused
		if b.Code == "workspace_busy" {
			code = codeBusy
		}
		return Begun{}, refuse(http.StatusConflict, code, "%s", b.Text).hint("Look at the task again: it says why it cannot start.")
	}
	if d.folder.Made {
		if d.wish.Workspace, err = operator.Make(d.task.Title); err != nil {
			return Begun{}, err
		}
	}
	run, err := operator.Create(s.o.Home, d.task, d.data, operator.With{Settings: d.settings, Wish: d.wish})
	if err != nil {
		if d.folder.Made {
			operator.Unmake(d.wish.Workspace)
		}
		return Begun{}, err
	}
	defer run.Close()
	return Begun{Run: run.ID}, nil
}

// sampleTitle names the folder of the sample.
const sampleTitle = "Quarterly report"

// sample puts the sample task into a new folder and answers with a draft of it.
func (s *Server) sample(*http.Request) (any, error) {
	if s.o.Sample == nil {
		return nil, refuse(http.StatusNotFound, codeNotFound, "there is no sample here")
	}
	folder, err := operator.Sample(s.o.Sample, sampleTitle)
	if err != nil {
		return nil, err
	}
	return TaskDraft{Name: "task.md", Path: folder + "/task.md", Workspace: folder}, nil
}

// doctor answers with what this machine can do.
func (s *Server) doctor(*http.Request) (any, error) {
	own, err := s.o.Home.Own()
	if err != nil {
		return nil, err
	}
	out := []Probe{}
	for _, c := range capability.Look(s.o.Home.Path(), worker.Agents(own)) {
		out = append(out, Probe{Name: c.Name, State: string(c.State), Text: c.Text, Fix: c.Fix})
	}
	return out, nil
}
