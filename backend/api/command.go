package api

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"longwatch/backend/operator"
	"longwatch/backend/run"
	"longwatch/backend/rundir"
)

// longestID bounds a command's id, in bytes, so that what resume adds to it
// still makes one.
const longestID = 56

// kinds are what a page may order, and what that is in the inbox. resume is
// more than one command, or none.
var kinds = map[string]string{
	"answer": rundir.CommandAnswer, "send": rundir.CommandSend, "stop": rundir.CommandStop,
	"abort": rundir.CommandAbort, "pause": rundir.CommandPause, "resume": "",
}

// command leaves a command and answers with its receipt.
func (s *Server) command(r *http.Request) (any, error) {
	c, err := decode[Command](r)
	if err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	dir, err := s.dir(r)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	// The page may be gone before the worker has answered; the command is not.
	ctx := context.WithoutCancel(r.Context())
	return s.commands.do(dir.ID+"/"+c.ID, func() (Receipt, error) {
		o := order{Server: s, dir: dir, Command: c}
		return o.carry(ctx)
	})
}

// check says why a command cannot be one.
func (c Command) check() error {
	bad := func(format string, args ...any) error {
		return refuse(http.StatusBadRequest, codeRefused, format, args...)
	}
	_, known := kinds[c.Kind]
	switch {
	case !rundir.ValidID(c.ID) || len(c.ID) > longestID:
		return bad("id: letters, digits, - and _ only, at most %d", longestID)
	case !known:
		return bad("there is no command %s", quoted(clip(c.Kind, 80)))
	case c.Kind == "answer" && c.Gate == "":
		return bad("an answer names the gate that it is for")
	case len(c.Text) > rundir.MaxMessage:
		return &refusal{http.StatusRequestEntityTooLarge, Failure{
			Code:    codeTooLarge,
			Message: fmt.Sprintf("the text has %d bytes; at most %d fit", len(c.Text), rundir.MaxMessage),
			Hint:    "Put the rest into a file in the workspace.",
		}}
	}
	return nil
}

// order is a command on its way.
type order struct {
	*Server
	Command
	dir *rundir.Run
}

func (o *order) carry(ctx context.Context) (Receipt, error) {
	done, s, err := o.before()
	if done != nil || err != nil {
		return deref(done), err
	}
	at := &operator.Attendant{Home: o.o.Home, Run: o.dir, Program: o.o.Program}
	commands := []rundir.Command{{
		Kind: kinds[o.Kind], Gate: o.Gate, End: o.End, Text: o.Text, Rounds: o.Rounds,
	}}
	if o.Kind == "resume" {
		if commands, err = operator.Resume(s, o.Text, o.Rounds); err != nil {
			return Receipt{}, err
		}
	}
	for i := range commands {
		c := &commands[i]
		c.ID, c.At, c.Channel = o.ID, time.Now().UnixMilli(), string(o.o.Face)
		if i < len(commands)-1 {
			c.ID += "-" + strconv.Itoa(i+1)
		}
		if err := o.dir.Send(*c); err != nil {
			return Receipt{}, err
		}
	}
	if _, alive := o.dir.Worker(); !alive {
		o.sentOff(o.dir.ID)
	}
	if o.Kind == "resume" {
		if s.Finished != nil {
			at.WaitUntilGone()
		}
		if err := at.Attend(s.Finished != nil); err != nil || len(commands) == 0 {
			return Receipt{ID: o.ID}, err
		}
	}
	e, err := at.Await(ctx, o.ID, o)
	if err != nil {
		return Receipt{}, err
	}
	return o.receipt(e)
}

func deref(r *Receipt) Receipt {
	if r == nil {
		return Receipt{}
	}
	return *r
}

// before looks whether the command had its effect already, and whether it can
// have one; s is what resume goes by.
func (o *order) before() (done *Receipt, s *run.State, err error) {
	var first run.Created
	err = o.lives.look(o.dir.ID, func(l *live) error {
		if e, there := l.track.receipts[o.ID]; there {
			r, err := o.receipted(e, l)
			done = &r
			return err
		}
		if l.problem != "" {
			return refuse(http.StatusUnprocessableEntity, codeUnread, "%s", l.problem)
		}
		first = l.state.Created
		s = &run.State{Finished: l.state.Finished, Paused: l.state.Paused, Gate: l.state.Gate, Created: first}
		return o.fits(l.state)
	})
	if done != nil || err != nil {
		return done, s, err
	}
	return nil, s, operator.Here(o.o.Home, o.dir, s)
}

// fits refuses at once what a worker would refuse, where none need be started
// for it.
func (o *order) fits(s *run.State) error {
	switch o.Kind {
	case "answer":
		if s.Gate == nil || s.Gate.Gate != o.Gate {
			return stale(s, o.Gate)
		}
	case "stop", "abort", "pause":
		if s.Finished != nil {
			return refuse(http.StatusConflict, codeRefused, "the run has ended already")
		}
	case "send":
		if strings.TrimSpace(o.Text) == "" {
			return refuse(http.StatusBadRequest, codeRefused, "the message is empty")
		}
	}
	return nil
}

// stale says what became of the question that an answer is for.
func stale(s *run.State, gate string) error {
	for _, a := range s.Answers {
		if a.Gate != gate {
			continue
		}
		what := "to go on"
		if a.End {
			what = "to end"
		}
		by := ""
		if a.Channel != "" {
			by = ", from the " + plain(a.Channel)
		}
		return refuse(http.StatusConflict, codeStale, "this question was answered before: %s%s", what, by)
	}
	if s.Gate != nil {
		return refuse(http.StatusConflict, codeStale, "another question is open by now")
	}
	return refuse(http.StatusConflict, codeStale, "this question is not open any more")
}

// Find implements operator.Receipts.
func (o *order) Find(id string) (e run.Entry, there bool, err error) {
	err = o.lives.look(o.dir.ID, func(l *live) error {
		if e, there = l.track.receipts[id]; !there && l.problem != "" {
			return refuse(http.StatusUnprocessableEntity, codeUnread, "%s", l.problem)
		}
		return nil
	})
	return e, there, err
}

// lookForReceipt is how often the ledger is looked at for a receipt.
const lookForReceipt = 15 * time.Millisecond

// Wait implements operator.Receipts.
func (o *order) Wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-time.After(lookForReceipt):
	}
}

func (o *order) receipt(e run.Entry) (r Receipt, err error) {
	err = o.lives.look(o.dir.ID, func(l *live) error {
		r, err = o.receipted(e, l)
		return err
	})
	return r, err
}

// receipted says what a record means for the command that it is the receipt of.
func (o *order) receipted(e run.Entry, l *live) (Receipt, error) {
	r := Receipt{ID: o.ID, Seq: e.Seq}
	if no, refused := e.Event.(run.CommandRefused); refused {
		if o.Kind == "answer" && (l.state.Gate == nil || l.state.Gate.Gate != o.Gate) {
			return r, stale(l.state, o.Gate)
		}
		r.Refused = plain(no.Reason)
	}
	return r, nil
}

// remove deletes a run that is not at work.
func (s *Server) remove(r *http.Request) (any, error) {
	id := r.PathValue("id")
	if !rundir.ValidID(id) {
		return nil, noRun(id)
	}
	s.lives.forget(id)
	if err := s.o.Home.Delete(id); err != nil {
		return nil, err
	}
	s.hub.look()
	return nil, nil
}
