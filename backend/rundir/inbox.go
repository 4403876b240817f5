package rundir

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"longwatch/backend/run"
	"longwatch/backend/safefs"
)

// What a command asks for.
const (
	CommandAnswer = "answer"
	CommandSend   = "send"
	CommandStop   = "stop"
	CommandAbort  = "abort"
	CommandPause  = "pause"
	CommandGo     = "go" // ends a pause
	CommandLimits = "limits"
)

// Command is one wish of a person's, left in the inbox for the worker.
type Command struct {
	V       int    `json:"v"`
	ID      string `json:"id"` // made by the sender; one id has one effect
	Kind    string `json:"kind"`
	At      int64  `json:"at"`
	Channel string `json:"channel"`
	Gate    string `json:"gate,omitempty"`
	End     bool   `json:"end,omitempty"`
	Text    string `json:"text,omitempty"`
	Rounds  int    `json:"rounds,omitempty"`
}

// CommandVersion is the version this code writes and reads.
const CommandVersion = 1

// MaxCommand bounds a command file, in bytes.
const MaxCommand = 64 << 10

// MaxMessage bounds what a person can say at once, in bytes, so that it fits
// into one record.
const MaxMessage = 7 << 10

// NewCommandID makes an id for a command.
func NewCommandID() string {
	var b [8]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// ValidID reports whether a text can be the id of a run or a command: letters,
// digits, - and _ only, at most 64, the first a letter or digit.
func ValidID(id string) bool { return validID(id) }

// validID keeps command ids usable as file names.
func validID(id string) bool {
	if id == "" || len(id) > 64 || strings.Trim(id[:1], "-_") == "" {
		return false
	}
	return !strings.ContainsFunc(id, func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}

// Send leaves a command in the inbox. It is there whole, or not at all.
func (r *Run) Send(c Command) error {
	c.V = CommandVersion
	if !validID(c.ID) {
		return fmt.Errorf("command id %q: letters, digits, - and _ only, at most 64", c.ID)
	}
	if why := c.unfit(); why != "" {
		return fmt.Errorf("%s: put the rest into a file in the workspace", why)
	}
	b, err := json.Marshal(c)
	if err != nil {
		return err
	}
	in, err := r.dir.Mkdir("inbox")
	if err != nil {
		return err
	}
	defer in.Close()
	return in.WriteFile(c.ID+".json", b)
}

// Letter is a command file as it was found. Bad says why it cannot be one.
type Letter struct {
	Command
	Bad string
}

// Inbox reads the commands that are there, oldest first by their own time.
// Files that are being written are passed over. One that the disk does not give
// now is no letter yet: it comes with an error beside the letters.
func (r *Run) Inbox() ([]Letter, error) {
	in, err := r.dir.Sub("inbox")
	if errors.Is(err, fs.ErrNotExist) {
		in, err = r.dir.Mkdir("inbox")
	}
	if err != nil {
		return nil, err
	}
	defer in.Close()
	names, err := in.Names()
	if err != nil {
		return nil, err
	}
	var out []Letter
	var failed error // the first: one reason is enough
	for _, n := range names {
		id, ok := strings.CutSuffix(n, ".json")
		if strings.HasPrefix(n, ".") || !ok {
			continue
		}
		b, err := in.ReadFile(n, MaxCommand)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case passing(err):
			failed = cmp.Or(failed, err)
		default:
			out = append(out, open(id, b, err))
		}
	}
	slices.SortStableFunc(out, func(a, b Letter) int { return cmp.Compare(a.At, b.At) })
	return out, failed
}

// unfitFile are the errors that speak of the file itself. Any other is the
// machine's, and may be gone at the next look.
var unfitFile = []error{
	safefs.ErrBadName, safefs.ErrSymlink, safefs.ErrNotRegular, safefs.ErrTooLarge, safefs.ErrHardLink, fs.ErrPermission,
}

func passing(err error) bool {
	return err != nil && !slices.ContainsFunc(unfitFile, func(e error) bool { return errors.Is(err, e) })
}

func open(id string, b []byte, err error) Letter {
	l := Letter{Command: Command{ID: id}}
	if err != nil {
		l.Bad = err.Error()
		return l
	}
	var c Command
	switch err := json.Unmarshal(b, &c); {
	case err != nil:
		l.Bad = "not a command: " + err.Error()
	case c.V != CommandVersion:
		l.Bad = fmt.Sprintf("version %d of a command; this worker reads version %d", c.V, CommandVersion)
	case c.ID != id:
		l.Bad = "its id is not its file's name"
	default:
		if l.Bad = c.unfit(); l.Bad == "" {
			l.Command = c
		}
	}
	return l
}

// maxWord bounds a command's other words, in bytes.
const maxWord = 100

// unfit says why a command could not be recorded: a record that does not fit
// would be tried again for ever.
func (c Command) unfit() string {
	b, err := run.Encode(run.MessageReceived{Text: c.Text})
	switch {
	case err != nil:
		return err.Error()
	case len(c.Text) > MaxMessage:
		return fmt.Sprintf("the text has %d bytes; at most %d fit", len(c.Text), MaxMessage)
	case len(b) > 2*MaxMessage:
		return "the text has too many control characters"
	case max(len(c.Kind), len(c.Gate), len(c.Channel)) > maxWord:
		return fmt.Sprintf("its kind, gate or channel has more than %d bytes", maxWord)
	}
	return ""
}

// Taken removes a command whose receipt is on disk, whatever it was.
func (r *Run) Taken(id string) error { return r.dir.RemoveAll("inbox/" + id + ".json") }

// InboxPath is the folder to watch for commands.
func (r *Run) InboxPath() string { return r.dir.Path() + "/inbox" }
