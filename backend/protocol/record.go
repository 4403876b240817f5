package protocol

import (
	"fmt"
	"strings"
)

// MostRecords bounds the state records of one plan.
const MostRecords = 500

const wantRecord = "a record such as: - R1 [pending] what must be true"

var recordForm = lazily("^([*_`]*)([RAFraf])0*([1-9]\\d{0,5})([*_`]*)\\s*[:：.]?\\s*" +
	"[\\[【(（]([^\\]】)）]{1,80})[\\]】)）]([*_`]*)\\s*(.*)$")

// ParseRecord reads one state record, such as
// `- R1 [completed @round_003] The report lists all four quarters`. The error
// is a *ParseError without a line.
func ParseRecord(text string) (StateRecord, error) {
	text, err := clean(text)
	if err != nil {
		return StateRecord{}, err
	}
	return parseRecord(oneLine(text))
}

func parseRecord(text string) (StateRecord, error) {
	bare, _ := unlist(text)
	m := recordForm().FindStringSubmatch(bare)
	if m == nil {
		return StateRecord{}, wrong(0, text, wantRecord)
	}
	mark, rest, ok := leadingMark(m[5])
	if !ok {
		return StateRecord{}, wrong(0, text, "a mark, "+marks.wanted())
	}
	rec := StateRecord{ID: strings.ToUpper(m[2]) + m[3], Mark: mark}
	body := m[7]
	if m[1] != "" && m[4] == "" && m[6] == "" {
		body = strings.TrimSuffix(body, m[1])
	}
	body = unlead(body)
	cited := namedIn(rest)
	if len(cited) == 0 && strings.Trim(rest, " ,;:，；：-—–") == "" && strings.HasPrefix(body, "@") {
		if n, after, ok := ParseRound(body); ok {
			cited, body = []int{n}, unlead(after)
		}
	} else if len(cited) > 1 || len(cited) == 0 && rest != "" {
		return StateRecord{}, wrong(0, text, "one cited round, such as [completed @round_003]")
	}
	if len(cited) == 1 {
		rec.Round = cited[0]
	}
	if rec.Text = body; body == "" {
		return StateRecord{}, wrong(0, text, "a text behind the mark")
	}
	return rec, nil
}

// leadingMark reads the mark that the bracket begins with.
func leadingMark(s string) (m Mark, rest string, ok bool) {
	s = plain(s)
	for _, e := range marks {
		for _, w := range e.words {
			if startsWord(s, w) {
				return e.value, strings.TrimLeft(s[len(w):], closers+" ,;:，；：-—–"), true
			}
		}
	}
	return "", "", false
}

// unlead takes from the front of a text what only separates it from the id
// before it. A minus that belongs to a number stays.
func unlead(s string) string {
	for {
		t := strings.TrimLeft(strings.TrimSpace(s), ":：—–、")
		if t == "-" || t == "." || t == ")" {
			return ""
		}
		for _, lead := range []string{"- ", ". ", ") "} {
			t = strings.TrimPrefix(t, lead)
		}
		if t == s {
			return s
		}
		s = t
	}
}

// String writes the record as a line of a plan, in English.
func (r StateRecord) String() string { return r.in(English) }

func (r StateRecord) in(lang Language) string {
	mark := marks.in(r.Mark, lang)
	if r.Round > 0 {
		mark += " @" + RoundName(r.Round)
	}
	return fmt.Sprintf("- %s [%s] %s", r.ID, mark, oneLine(r.Text))
}

// startsRecord reports whether a line without a list marker is a record.
func startsRecord(s string) bool { return recordForm().MatchString(s) }

func readRecords(d document, p *Plan) error {
	at := map[string]item{}
	said := map[string]StateRecord{}
	for _, it := range d.items(headRecords, startsRecord) {
		if unchanged(it.text()) {
			continue
		}
		rec, err := parseRecord(it.text())
		if err != nil {
			return atLine(err, it.no())
		}
		if before, twice := at[rec.ID]; twice {
			if rec != said[rec.ID] {
				return contradicts(it.no(), it.text(), before.no(), before.text())
			}
			continue
		}
		if len(p.Records) == MostRecords {
			return wrong(it.no(), it.text(), fmt.Sprintf("at most %d records", MostRecords))
		}
		at[rec.ID], said[rec.ID] = it, rec
		p.Records = append(p.Records, rec)
	}
	return nil
}
