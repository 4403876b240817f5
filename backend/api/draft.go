package api

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"longwatch/backend/config"
	"longwatch/backend/operator"
	"longwatch/backend/rundir"
	"longwatch/backend/task"
	"longwatch/backend/worker"
)

// draft is a TaskDraft with everything looked up that it names.
type draft struct {
	name     string
	path     string // of the file; empty: there is none
	dropped  bool
	data     []byte
	task     task.Task
	problems []config.Problem

	settings config.Settings
	agents   []string
	wish     rundir.Wish
	folder   Folder
	blockers []Blocker
}

// draft reads what a page asks about. An error is a request that makes no
// sense; whatever stands against a start is a blocker.
func (s *Server) draft(t TaskDraft) (d draft, err error) {
	if d, err = s.source(t); err != nil {
		return d, err
	}
	if d.settings, err = s.o.Home.Own(); err != nil {
		d.block("other", "the settings cannot be used: %s", err)
		d.settings = config.Default()
	}
	if d.data != nil {
		var more []config.Problem
		d.task, more = task.Parse(d.name, d.data)
		d.problems = append(d.problems, more...)
	}
	for _, p := range d.problems {
		if p.Severity == config.Error {
			d.blockers = append(d.blockers, Blocker{Code: "task_problems", Text: plain(p.Text), Line: p.Line})
			break
		}
	}
	d.agents = worker.Agents(d.settings)
	d.wish = rundir.Wish{
		TaskPath: d.path, Agent: t.Agent, Rounds: t.Rounds, Agents: d.agents, Version: s.o.Version, Now: time.Now(),
	}
	if !config.Refused(d.problems) {
		for _, o := range rundir.Obstacles(d.task, d.settings, d.wish) {
			d.block(o.Code, "%s", o.Text)
		}
	}
	return d, s.settle(&d, t.Workspace)
}

// source finds the bytes of a draft. A text counts before a file that is named
// beside it, which then only says where the task comes from.
func (s *Server) source(t TaskDraft) (d draft, err error) {
	bad := func(format string, args ...any) (draft, error) {
		return d, refuse(http.StatusBadRequest, codeRefused, format, args...)
	}
	switch {
	case t.Offer != "" && t.Path != "":
		return bad("a task is either dropped or named by its path, not both")
	case t.Offer != "":
		f, there := s.offers.find(t.Offer)
		if !there {
			return d, refuse(http.StatusNotFound, codeNotFound, "the dropped file is not known any more").hint("Drop it again.")
		}
		d.path, d.dropped = f.path, !f.inPlace
	case t.Path != "":
		if !filepath.IsAbs(t.Path) || strings.ContainsRune(t.Path, 0) {
			return bad("the path of the task is not absolute: %s", quoted(clip(t.Path, longestWhy)))
		}
		d.path = filepath.Clean(t.Path)
	}
	d.name = t.Name
	if d.path != "" && d.name == "" {
		d.name = filepath.Base(d.path)
	}
	switch {
	case t.Text != "" || d.path == "":
		d.data = []byte(t.Text)
	default:
		d.data, d.problems = task.Read(d.path)
	}
	return d, nil
}

func (d *draft) block(code, format string, args ...any) {
	d.blockers = append(d.blockers, Blocker{Code: code, Text: plain(fmt.Sprintf(format, args...))})
}

// settle finds the folder that the run would work in: the one that the page
// names, then the task's, then the file's own. A task that was dropped or typed
// gets a new one.
func (s *Server) settle(d *draft, workspace string) error {
	if strings.HasPrefix(workspace, offerMark) {
		f, there := s.offers.find(workspace)
		if !there {
			return refuse(http.StatusNotFound, codeNotFound, "the dropped folder is not known any more").hint("Drop it again.")
		}
		workspace = f.path
	}
	if rest, below := strings.CutPrefix(workspace, "~/"); below {
		home, err := os.UserHomeDir()
		if err != nil {
			return err
		}
		workspace = filepath.Join(home, rest)
	}
	named := workspace != "" || d.task.Workspace != ""
	switch {
	case workspace != "" && !filepath.IsAbs(workspace):
		d.block("workspace", "the folder is not named by a whole path: %s", quoted(workspace))
		return nil
	case workspace == "" && named && d.path == "" && !filepath.IsAbs(d.task.Workspace) && !strings.HasPrefix(d.task.Workspace, "~/"):
		d.block("workspace", "the task names the folder %s beside its file, but this text has no file: choose a folder", quoted(d.task.Workspace))
		return nil
	case !named && (d.path == "" || d.dropped):
		return d.fresh()
	}
	d.wish.Workspace = workspace
	return d.take(s.o.Home, rundir.WorkspacePath(d.task, d.wish))
}

// fresh plans a new folder, which is made at the start.
func (d *draft) fresh() error {
	path, err := operator.Fresh(d.task.Title)
	if err != nil {
		d.block("workspace", "%s", err)
		return nil
	}
	d.folder = Folder{Path: path, Made: true}
	_, err = os.Lstat(path)
	d.folder.Exists = err == nil
	return nil
}

// take plans a folder that is there.
func (d *draft) take(h *rundir.Home, path string) error {
	d.folder = Folder{Path: path}
	real, err := h.CheckWorkspace(path)
	if err != nil {
		d.block("workspace", "%s", err)
		return nil
	}
	d.wish.Workspace = real
	d.folder.Path, d.folder.Exists = real, true
	d.folder.Files, d.folder.Many = count(real)
	if err := h.Busy(real); err != nil {
		d.block("workspace_busy", "%s", err)
	}
	return nil
}

// mostCounted bounds how many entries of a workspace are counted.
const mostCounted = 5000

// count says how many files a folder has, and whether it has more than that.
func count(root string) (files int, many bool) {
	seen := 0
	_ = filepath.WalkDir(root, func(_ string, e os.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be looked into is not counted
		}
		if seen++; seen > mostCounted {
			many = true
			return filepath.SkipAll
		}
		if !e.IsDir() {
			files++
		}
		return nil
	})
	return files, many
}
