package protocol

import (
	"fmt"
	"strings"
	"time"
)

const (
	// MostChoices bounds the choices of a question.
	MostChoices = 6

	// How often a wait probes and when it gives up, unless the plan says so,
	// and what a plan may say.
	DefaultEvery   = time.Minute
	DefaultExpires = 6 * time.Hour
	LeastEvery     = time.Second
	MostWait       = 30 * 24 * time.Hour
)

// ParsePlan reads what a manager said. The error is always a *ParseError.
//
// What the route needs must be there: a task for gui and cli, a question for
// ask, a reason for blocked (a task without a question is taken as the
// reason), a check for wait. Everything else may be given with any route.
func ParsePlan(text string) (Plan, error) {
	d, err := read(text, &planWords)
	if err != nil {
		return Plan{}, err
	}
	var p Plan
	route, at, err := agreed(d, headNext, func(s section) (Route, bool) {
		v, _, ok := routes.read(s.value)
		return v, ok
	})
	if err != nil {
		return Plan{}, err
	}
	if at.no == 0 {
		return Plan{}, d.missing(headNext, `"Next:" with `+routes.wanted())
	}
	p.Route = route
	for _, fill := range []func(document, *Plan) error{
		readRecords, readProse, readServes, readCriteria, readRelated, readChoices, readUntil, readTimes,
	} {
		if err := fill(d, &p); err != nil {
			return Plan{}, err
		}
	}
	if want := p.complete(); want != "" {
		return Plan{}, wrong(at.no, at.raw, want)
	}
	return p, nil
}

// complete fills in what follows from the route and says what is missing.
func (p *Plan) complete() (want string) {
	switch p.Route {
	case GUI, CLI:
		if p.Task == "" {
			return `also "Task:" with one bounded step`
		}
	case Ask:
		if p.Question == "" {
			return `also "Question:" with what to ask`
		}
	case Stop:
		if p.Question == "" {
			p.Question, p.Task = p.Task, ""
		}
		if p.Question == "" {
			return `also "Question:" with the reason`
		}
	case Wait:
		if p.Until == "" {
			return `also "Until: check: …" with what to wait for`
		}
		if p.EveryMillis == 0 {
			p.EveryMillis = DefaultEvery.Milliseconds()
		}
		if p.ExpireMillis == 0 {
			p.ExpireMillis = DefaultExpires.Milliseconds()
		}
	case Done:
	}
	return ""
}

func readProse(d document, p *Plan) error {
	for _, x := range []struct {
		head heading
		to   *string
	}{
		{headContract, &p.Contract},
		{headTask, &p.Task},
		{headBoundaries, &p.Boundaries},
		{headQuestion, &p.Question},
	} {
		value, _, err := agreed(d, x.head, func(s section) (string, bool) {
			t := s.text()
			if x.head == headContract && !strings.Contains(t, "\n") && unchanged(t) {
				t = ""
			}
			return t, t != ""
		})
		if err != nil {
			return err
		}
		*x.to = value
	}
	return nil
}

var (
	requirementID    = lazily(`\b[Rr]0*([1-9]\d{0,5})\b`)
	requirementRange = lazily(`(?i)\bR\d+\s*(?:-|–|—|\.\.+|…|to|至|到)\s*R?\d+\b`)
)

// readsServes reports whether s begins with the id of a requirement, or says
// that there is none. Any other text after "Requirements:" is prose.
func readsServes(s string) bool {
	s = plain(s)
	m := requirementID().FindStringIndex(s)
	return m != nil && m[0] == 0 || none(s)
}

func readServes(d document, p *Plan) error {
	for _, s := range d.all(headServes) {
		for _, l := range s.lines() {
			if requirementRange().MatchString(l.text) {
				return wrong(l.no, l.text, "each requirement by itself, such as R1, R2")
			}
			if text, _ := unlist(l.text); l.quote || !readsServes(text) {
				continue
			}
			for _, m := range requirementID().FindAllStringSubmatch(l.text, -1) {
				p.Serves = append(p.Serves, "R"+m[1])
			}
		}
	}
	p.Serves = once(p.Serves)
	return d.stray(headServes, len(p.Serves) > 0, "requirement ids such as R1, R2")
}

func readRelated(d document, p *Plan) error {
	for _, s := range d.all(headRelated) {
		var first line
		some := false
		for _, l := range s.lines() {
			text, _ := unlist(l.text)
			if l.quote || l.fence || none(text) {
				continue
			}
			if first.no == 0 {
				first = l
			}
			found := citedIn(text)
			some = some || len(found) > 0
			p.Related = append(p.Related, found...)
		}
		if first.no > 0 && !some {
			return wrong(first.no, first.text, "rounds such as round_003")
		}
	}
	p.Related = once(p.Related)
	return nil
}

func readUntil(d document, p *Plan) error {
	var err error
	p.Until, _, err = agreed(d, headUntil, func(s section) (string, bool) {
		for _, l := range s.lines() {
			if l.blank() || l.quote || l.fence {
				continue
			}
			text, _ := unlist(l.text)
			if l.no == s.no {
				text = strings.TrimSpace(l.text)
			}
			text = bareCheck(text)
			return text, !none(text)
		}
		return "", false
	})
	return err
}

var checkLabel = lazily("^(`|\\*\\*)?(?i:check|检查)(\\*\\*)?[:：]")

// bareCheck takes the label, and the ticks around both, from a check.
func bareCheck(s string) string {
	m := checkLabel().FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	rest := strings.TrimSpace(s[m[1]:])
	if m[2] >= 0 && m[4] < 0 {
		rest = closeMarks(rest, "", s[m[2]:m[3]])
	}
	return rest
}

func readTimes(d document, p *Plan) error {
	for _, x := range []struct {
		head  heading
		least time.Duration
		to    *int64
	}{
		{headEvery, LeastEvery, &p.EveryMillis},
		{headExpires, LeastEvery, &p.ExpireMillis},
	} {
		v, at, err := agreed(d, x.head, func(s section) (time.Duration, bool) {
			v, err := ParseDuration(s.value)
			return v, err == nil
		})
		if err != nil {
			return err
		}
		if at.no > 0 && (v < x.least || v > MostWait) {
			return wrong(at.no, at.raw, fmt.Sprintf("between %s and %s",
				FormatDuration(x.least), FormatDuration(MostWait)))
		}
		if err := d.stray(x.head, at.no > 0, wantDuration); err != nil {
			return err
		}
		*x.to = v.Milliseconds()
	}
	return nil
}

// stray refuses a heading that stands among the others with a value nobody
// can read, when no other line gives a value.
func (d document) stray(h heading, given bool, want string) error {
	for _, x := range d.doubts {
		if x.head == h && x.among && !x.empty && !given {
			return wrong(x.no, strings.TrimSpace(x.raw), want)
		}
	}
	return nil
}
