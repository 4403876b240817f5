package cli

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"longwatch/backend/guard"
)

func sightedAs(t *testing.T, asJSON bool, s guard.Sighting) string {
	t.Helper()
	var out bytes.Buffer
	f := &follower{app: &app{out: &out, json: asJSON}, view: newView(&out, false)}
	if err := f.sighted(s); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSightingIsOneLineWithoutSurprises(t *testing.T) {
	t.Parallel()
	s := guard.Sighting{Missed: "too many"}
	for _, p := range []string{"a", "b\x1b[2J", "c\xff", "d", "e", "f"} {
		s.Seen = append(s.Seen, guard.Sight{Path: p, What: guard.Added, At: time.UnixMilli(1)})
	}
	want := "          seen         added a, added \"b\\x1b[2J\", added \"c\\xff\", added d, and 2 more\n" +
		"          unseen       something may have been missed: too many\n"
	if diff := cmp.Diff(want, sightedAs(t, false, s)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestSightingAsJSONKeepsNamesThatAreBytes(t *testing.T) {
	t.Parallel()
	s := guard.Sighting{Blind: "b", Seen: []guard.Sight{{Path: "c\xff", What: guard.Removed, At: time.UnixMilli(7)}}}
	want := `{"seen":[{"path_b64":"Y/8=","what":"removed","at":7}],"blind":"b"}` + "\n"
	if diff := cmp.Diff(want, sightedAs(t, true, s)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
