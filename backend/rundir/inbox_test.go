package rundir

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInboxGivesCommandsOldestFirst(t *testing.T) {
	t.Parallel()
	r := newRun(t, newHome(t), "r1")
	for _, c := range []Command{
		{ID: "a", Kind: CommandSend, At: 3, Text: "third"},
		{ID: "b", Kind: CommandStop, At: 1},
		{ID: "c", Kind: CommandSend, At: 2, Text: "second <&>"},
	} {
		check(t, r.Send(c))
	}
	letters, err := r.Inbox()
	check(t, err)
	var got []string
	for _, l := range letters {
		got = append(got, l.ID+" "+l.Kind+" "+l.Text+l.Bad)
	}
	if diff := cmp.Diff([]string{"b stop ", "c send second <&>", "a send third"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for range 2 { // it may be tried again after a crash
		check(t, r.Taken("b"))
	}
	if letters, err = r.Inbox(); err != nil || len(letters) != 2 {
		t.Errorf("%d letters, %v", len(letters), err)
	}
}

func TestSendRefusesWhatCouldNotBeRecorded(t *testing.T) {
	t.Parallel()
	r := newRun(t, newHome(t), "r1")
	for want, c := range map[string]Command{
		"command id":               {ID: "../../up", Kind: CommandSend},
		"at most 7168 fit":         {ID: "a", Kind: CommandSend, Text: strings.Repeat("x", MaxMessage+1)},
		"control characters":       {ID: "a", Kind: CommandSend, Text: strings.Repeat("\x01", MaxMessage/2)},
		"kind, gate or channel":    {ID: "a", Kind: CommandAnswer, Gate: strings.Repeat("g", 5000)},
		"letters, digits, - and _": {ID: "", Kind: CommandSend},
	} {
		if err := r.Send(c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if letters, err := r.Inbox(); err != nil || len(letters) > 0 {
		t.Errorf("%d letters, %v", len(letters), err)
	}
	check(t, r.Send(Command{ID: "a", Kind: CommandSend, Text: strings.Repeat("中", MaxMessage/3)}))
}

// Whatever stands in the inbox is a letter with a reason, can be taken out, and
// keeps no other letter from being read.
func TestInboxSurvivesForgedLetters(t *testing.T) {
	t.Parallel()
	r := newRun(t, newHome(t), "r1")
	in := r.InboxPath()
	for name, text := range map[string]string{
		"half.json":   `{"v":1,"id":"half","ki`,
		"forged.json": `{"v":1,"id":"other","kind":"abort"}`,
		"newer.json":  `{"v":2,"id":"newer","kind":"abort"}`,
		"huge.json":   `{"v":1,"id":"huge","text":"` + strings.Repeat("x", MaxCommand) + `"}`,
		"gate.json":   `{"v":1,"id":"gate","gate":"` + strings.Repeat("g", 9000) + `"}`,
		"types.json":  `{"v":1,"id":"types","rounds":"many"}`,
		".tmp.json":   `{"v":1,"id":".tmp","kind":"abort"}`,
		"notes.txt":   "not for us",
		"good.json":   `{"v":1,"id":"good","kind":"stop"}`,
	} {
		write(t, filepath.Join(in, name), text)
	}
	check(t, syscall.Mkfifo(filepath.Join(in, "fifo.json"), 0o600))
	check(t, os.Symlink(filepath.Join(r.Path(), "run.json"), filepath.Join(in, "link.json")))
	check(t, os.MkdirAll(filepath.Join(in, "folder.json", "inside"), 0o700))
	letters, err := r.Inbox()
	check(t, err)
	bad := map[string]bool{}
	for _, l := range letters {
		bad[l.ID] = l.Bad != ""
		if l.Bad != "" && (l.Kind != "" || len(l.Bad) > 400) {
			t.Errorf("letter %s is read in spite of: %.400s", l.ID, l.Bad)
		}
		if err := r.Taken(l.ID); err != nil {
			t.Errorf("letter %s stays: %v", l.ID, err)
		}
	}
	want := map[string]bool{
		"half": true, "forged": true, "newer": true, "huge": true, "gate": true, "types": true,
		"fifo": true, "link": true, "folder": true, "good": false,
	}
	if diff := cmp.Diff(want, bad); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if letters, err := r.Inbox(); err != nil || len(letters) > 0 {
		t.Errorf("%d letters are left, %v", len(letters), err)
	}
	if _, err := os.Stat(filepath.Join(r.Path(), "run.json")); err != nil {
		t.Errorf("what a letter led to: %v", err)
	}
}

func FuzzOpenLetter(f *testing.F) {
	f.Add([]byte(`{"v":1,"id":"a","kind":"send","text":"hello"}`))
	f.Add([]byte(`{"v":1,"id":"a","kind":"answer","gate":"g1","rounds":-1}`))
	f.Add([]byte("null"))
	f.Fuzz(func(t *testing.T, data []byte) {
		l := open("a", data, nil)
		if l.ID != "a" {
			t.Errorf("it is letter %q", l.ID)
		}
		if l.Bad == "" && (l.V != CommandVersion || l.unfit() != "") {
			t.Errorf("it is read: %+v", l.Command)
		}
	})
}
