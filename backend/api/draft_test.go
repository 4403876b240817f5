package api

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/rundir"
)

const steps = "---\ntitle: A/B\nsteps: [{name: One, run: 'true'}]\n---\n"

// desk is a folder of a person's and a server for it. It sets HOME, so whoever
// uses it is not parallel.
func newDesk(t *testing.T) (s *Server, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	t.Setenv("HOME", filepath.Join(dir, "user"))
	home, err := rundir.OpenHome(filepath.Join(dir, "home"))
	must(t, err)
	s = New(Options{Home: home, Face: Window})
	t.Cleanup(func() {
		must(t, s.Close())
		must(t, home.Close())
	})
	for name, text := range map[string]string{
		"ws/task.md": steps, "ws/a.txt": "1", "ws/sub/b.txt": "2", "named/task.md": "---\nworkspace: ../ws\n" + steps[4:],
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return s, dir
}

func TestWhereATaskWouldWork(t *testing.T) {
	s, dir := newDesk(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	dropped := func(name string) string { return s.Offer(in(name)).Offer }
	ws := Folder{Path: in("ws"), Exists: true, Files: 3}
	fresh := Folder{Path: in("user/Longwatch/A B"), Made: true}
	for name, c := range map[string]struct {
		draft    TaskDraft
		want     Folder
		blockers []string
	}{
		"a path":                           {TaskDraft{Path: in("ws/task.md")}, ws, nil},
		"a dropped file":                   {TaskDraft{Offer: dropped("ws/task.md")}, fresh, nil},
		"a file named at the start":        {TaskDraft{Offer: s.OfferInPlace(in("ws/task.md")).Offer}, ws, nil},
		"a typed text":                     {TaskDraft{Text: steps}, fresh, nil},
		"a path with a folder chosen":      {TaskDraft{Path: in("named/task.md"), Workspace: in("ws")}, ws, nil},
		"a dropped folder":                 {TaskDraft{Text: steps, Workspace: dropped("ws")}, ws, nil},
		"a task that names its folder":     {TaskDraft{Path: in("named/task.md")}, ws, nil},
		"dropped, and it names its folder": {TaskDraft{Offer: dropped("named/task.md")}, ws, nil},
		"edited after it was dropped":      {TaskDraft{Offer: dropped("named/task.md"), Text: steps}, fresh, nil},
		"typed, and it names a folder":     {TaskDraft{Text: "---\nworkspace: ../ws\n" + steps[4:]}, Folder{}, []string{"workspace"}},
		"the home folder":                  {TaskDraft{Text: steps, Workspace: "~/"}, Folder{Path: in("user")}, []string{"workspace"}},
		"a folder that is not there":       {TaskDraft{Text: steps, Workspace: in("none")}, Folder{Path: in("none")}, []string{"workspace"}},
		"a folder that is not whole":       {TaskDraft{Text: steps, Workspace: "ws"}, Folder{}, []string{"workspace"}},
		"where runs are kept":              {TaskDraft{Text: steps, Workspace: in("home/runs")}, Folder{Path: in("home/runs")}, []string{"workspace"}},
		"a task with a slip":               {TaskDraft{Text: "---\nstps: []\n---\n# A/B\n"}, fresh, []string{"task_problems"}},
		"a task that nobody can play":      {TaskDraft{Text: "# A/B\n"}, fresh, []string{"no_agent"}},
		"an agent that is not here":        {TaskDraft{Text: "# A/B\n", Agent: "claude"}, fresh, []string{"agent_missing"}},
		"a playbook without steps":         {TaskDraft{Text: "# A/B\n", Agent: "playbook"}, fresh, []string{"needs_steps"}},
		"two reasons": {
			TaskDraft{Text: "---\nmin_guard: kernel-ro\ndeadline: 2020-01-01 10:00\n" + steps[4:]}, fresh, []string{"guard", "deadline"},
		},
	} {
		d, err := s.draft(c.draft)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var codes []string
		for _, b := range d.blockers {
			codes = append(codes, b.Code)
		}
		if diff := cmp.Diff(c.want, d.folder); diff != "" {
			t.Errorf("%s: folder (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(c.blockers, codes); diff != "" {
			t.Errorf("%s: blockers (-want +got):\n%s\n%+v", name, diff, d.blockers)
		}
	}
	if _, err := os.Lstat(in("user/Longwatch")); !os.IsNotExist(err) {
		t.Errorf("looking made a folder: %v", err)
	}
}

func TestProblemsAreInTheirPlace(t *testing.T) {
	s, _ := newDesk(t)
	r, err := http.NewRequestWithContext(t.Context(), "POST", "/", strings.NewReader(`{"text":"---\nlimits: {rouns: 3}\n---\nx"}`))
	must(t, err)
	r.Header.Set("Content-Type", "application/json")
	v, err := s.inspect(r)
	must(t, err)
	in := v.(Inspection)
	if len(in.Problems) != 1 || in.Problems[0].Line != 2 || in.Problems[0].Col != 10 || in.Problems[0].Code != "task.unknown_key" ||
		in.Blockers[0].Line != 2 || in.Digest == "" || in.Size != 28 {
		t.Errorf("%+v", in)
	}
}

func TestWhatIsDroppedIsTakenOrRefused(t *testing.T) {
	s, dir := newDesk(t)
	put := func(name, text string) string {
		path := filepath.Join(dir, name)
		must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	odd := put("bad\xff\nname.md", steps)
	link, fifo := filepath.Join(dir, "link.md"), filepath.Join(dir, "fifo.md")
	must(t, os.Symlink(odd, link))
	must(t, syscall.Mkfifo(fifo, 0o600))
	for path, want := range map[string]Offer{
		odd:                              {Name: `"bad\xff\nname.md"`},
		filepath.Join(dir, "ws"):         {Name: "ws", Folder: true},
		link:                             {Name: "link.md", Problem: "this is a symbolic link, not a file"},
		fifo:                             {Name: "fifo.md", Problem: "this is a FIFO (a pipe with a name), not a file"},
		put("big", longText()):           {Name: "big", Problem: "a task file has at most 256 KiB, this one has 257 KiB"},
		put("bin", "\x00\x01"):           {Name: "bin", Problem: "this is a binary file, not text"},
		filepath.Join(dir, "nothing"):    {Name: "nothing", Problem: "there is no such file"},
		"/dev/null":                      {Name: "null", Problem: "this is a device, not a file"},
		filepath.Join(dir, "季度 100%.md"): {Name: "季度 100%.md", Problem: "there is no such file"},
	} {
		got := s.Offer(path)
		id := got.Offer
		got.Offer = ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", path, diff)
		}
		if known, there := s.offers.find(id); there != (want.Problem == "") || there && known.path != path {
			t.Errorf("%q is kept as %q", path, known.path)
		}
	}
	d, err := s.draft(TaskDraft{Offer: s.Offer(odd).Offer})
	if err != nil || d.task.Title != "A/B" {
		t.Errorf("odd name: %v %+v", err, d.task.Title)
	}
	first := s.Offer(odd).Offer
	for range mostOffers {
		s.Offer(odd)
	}
	if _, there := s.offers.find(first); there || len(s.offers.files) != mostOffers {
		t.Errorf("%d offers are kept", len(s.offers.files))
	}
}

func longText() string { return strings.Repeat("x", 257<<10) }

func TestPlainTextHoldsNothingThatMovesACursor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n", "季度": "季度", "\x1b[31mred\x07": "[31mred", "a\xffb": "a�b",
		"a\u202eb\u2066c": "abc", "\r\n": "\n", "\u0085x": "x",
	} {
		if got := plain(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
