package protocol

import (
	"slices"
	"strings"
)

// mostAbove is how many non-empty lines may stand above each header of a
// verdict. A header further down is part of the report, and not its verdict.
const mostAbove = 16

// ParseAudit reads what an auditor said. The error is always a *ParseError.
//
// The whole report is read, never a beginning of it. All three headers must
// stand near its top; one that says something else further down, in the open,
// is an error, wherever it stands.
func ParseAudit(text string) (Audit, error) {
	d, err := read(text, &reportWords)
	if err != nil {
		return Audit{}, err
	}
	var a Audit
	if a.Verdict.Status, err = header(d, headStatus, statuses); err != nil {
		return Audit{}, err
	}
	if a.Verdict.Integrity, err = header(d, headIntegrity, integrities); err != nil {
		return Audit{}, err
	}
	if a.Verdict.Contract, err = header(d, headAudit, contractAudits); err != nil {
		return Audit{}, err
	}
	a.Effect, _, err = agreed(d, headEffect, func(s section) (Effect, bool) {
		v, _, ok := effects.read(s.value)
		return v, ok
	})
	if err != nil {
		return Audit{}, err
	}
	a.Update, _, err = agreed(d, headUpdate, func(s section) (string, bool) {
		t := s.text()
		return t, t != ""
	})
	if err != nil {
		return Audit{}, err
	}
	a.Text, err = clean(text)
	a.Blocking = readBlocking(d)
	a.Evidence = readEvidence(d, a.Text)
	return a, err
}

func header[T ~string](d document, h heading, words lexicon[T]) (T, error) {
	v, at, err := agreed(d, h, func(s section) (T, bool) { return words.firm(s.value) })
	if err != nil {
		return v, err
	}
	want := `"` + reportWords.title(h, English) + `" in the first lines, with ` + words.wanted()
	if at.no == 0 {
		return v, d.missing(h, want)
	}
	if at.above > mostAbove {
		return v, wrong(at.no, at.raw, want)
	}
	return v, nil
}

// readBlocking gives every line under a heading of blocking constraints. It
// rather takes a line too many than one too few: quoted and fenced lines
// count. Only after a first line that says none a gap ends the list.
func readBlocking(d document) []string {
	var found []string
	for _, s := range d.all(headBlocking) {
		empty := false
		for i, l := range s.lines() {
			text, _ := unlist(strings.TrimLeft(strings.TrimSpace(l.text), "> \t"))
			if empty && l.blank() || i > 0 && s.endsAt(l) {
				break
			}
			if l.blank() || l.fence || rule(l.text) {
				continue
			}
			if none(text) {
				empty = empty || len(found) == 0
				continue
			}
			found = append(found, text)
		}
	}
	return once(found)
}

// endsAt reports whether l is a Markdown heading, unknown to us, that stands
// as high as the heading of the section.
func (s section) endsAt(l line) bool {
	t := strings.TrimSpace(l.text)
	level := len(t) - len(strings.TrimLeft(t, "#"))
	return level > 0 && level <= s.level && strings.HasPrefix(t[level:], " ")
}

var (
	evidenceMark = lazily(`(?i)[\[［【]\s*(?:evidence|证据)\s*[:：]\s*([^\]］】\n]{1,400})`)
	evidenceFile = lazily(`(?i)\bevidence/[\w./-]*\w\.(?:png|jpe?g|webp|txt|json)\b`)
	evidenceID   = lazily(`^#?[A-Za-z0-9][\w.:/#-]{0,199}$`)
)

// readEvidence gives the ids cited as evidence: the ones that begin the lines
// of the evidence section, `[evidence: id]`, and files of the evidence folder
// named anywhere in the report.
func readEvidence(d document, text string) []string {
	var found []string
	for _, s := range d.all(headEvidence) {
		for _, l := range s.lines() {
			t, _ := unlist(l.text)
			found = append(found, leadingIDs(t)...)
		}
	}
	for _, m := range evidenceMark().FindAllStringSubmatch(text, -1) {
		for _, id := range strings.FieldsFunc(m[1], isListSeparator) {
			if id = unmarked(id); id != "" {
				found = append(found, id)
			}
		}
	}
	return once(append(found, evidenceFile().FindAllString(text, -1)...))
}

// leadingIDs gives the ids a line begins with. A word counts when it has a
// digit, a slash or a number sign and more than digits: prose does not.
func leadingIDs(s string) []string {
	var found []string
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return isListSeparator(r) || r == ' ' || r == '\t' }) {
		id := unmarked(strings.TrimRight(word, ".:："))
		if !evidenceID().MatchString(id) || !strings.ContainsAny(id, "0123456789/#") || strings.Trim(id, "0123456789") == "" {
			break
		}
		found = append(found, id)
	}
	return found
}

// unmarked is s without quotes, brackets, ticks and bold around it.
func unmarked(s string) string {
	return strings.TrimRight(strings.TrimLeft(s, openers), closers+" \t")
}

func isListSeparator(r rune) bool { return strings.ContainsRune(",;，、；", r) }

// Report is an audit to be written: a verdict and what stands behind it.
type Report struct {
	Verdict  Verdict
	Effect   Effect // empty: not said
	Facts    []string
	Evidence []string // ids
	Gaps     []string
	Blocking []string
	Update   string // for the manager, may have several lines
}

// Text writes the report in the one spelling that every reader understands.
// ParseAudit reads back its verdict, effect, evidence, blocking constraints and update.
func (r Report) Text(lang Language) string {
	w := writer{voc: &reportWords, lang: lang}
	w.line(headStatus, statuses.in(r.Verdict.Status, lang))
	w.line(headIntegrity, integrities.in(r.Verdict.Integrity, lang))
	w.line(headAudit, contractAudits.in(r.Verdict.Contract, lang))
	if r.Effect != "" {
		w.line(headEffect, effects.in(r.Effect, lang))
	}
	w.items(headFacts, r.Facts)
	ids := make([]string, len(r.Evidence))
	for i, id := range r.Evidence {
		if ids[i] = id; !slices.Equal(leadingIDs(id), []string{id}) {
			ids[i] = "[evidence: " + id + "]"
		}
	}
	w.items(headEvidence, ids)
	w.items(headGaps, r.Gaps)
	if len(r.Blocking) == 0 {
		w.line(headBlocking, nothing(lang))
	}
	w.items(headBlocking, r.Blocking)
	w.prose(headUpdate, r.Update)
	return w.b.String()
}

func nothing(lang Language) string {
	if lang == Chinese {
		return "无"
	}
	return "none"
}
