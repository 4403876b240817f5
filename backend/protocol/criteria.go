package protocol

import (
	"fmt"
	"strings"
)

// MostCriteria bounds the acceptance criteria of one plan.
const MostCriteria = 50

// A check begins at `check:`. Where a line has that more than once, the one
// that is set off by two spaces, a bar or a dash is meant, else the first.
var (
	checkSetOff = lazily("(?i)(?:^|\\s{2,}|\\t|\\s*[，；|｜—–]\\s*)(\\*\\*|__|`)?(?:check|检查)(\\*\\*|__|`)?[:：]")
	checkPlain  = lazily("(?i)\\s(\\*\\*|__|`)?(?:check|检查)(\\*\\*|__|`)?[:：]")

	criterionForm = lazily("^[*_`]*[Cc]0*([1-9]\\d{0,5})[*_`]*(?:[:：、—–]|[.)](?:\\s|$)|\\s|$)")
)

// beforeCheck is what separates a text from the check behind it.
const beforeCheck = " \t,，;；|｜—–-"

func startsCriterion(s string) bool { return criterionForm().MatchString(s) }

func readCriteria(d document, p *Plan) error {
	said := map[string]int{}
	for _, it := range d.items(headCriteria, startsCriterion) {
		if none(it.text()) {
			continue
		}
		c, err := parseCriterion(it)
		if err != nil {
			return err
		}
		if i, twice := said[c.ID]; twice && c.ID != "" {
			before := p.Criteria[i]
			if before.Text != c.Text || before.Check != c.Check {
				return contradicts(c.Line, it.text(), before.Line, before.ID+" "+before.Text)
			}
			continue
		}
		if len(p.Criteria) == MostCriteria {
			return wrong(c.Line, it.text(), fmt.Sprintf("at most %d criteria", MostCriteria))
		}
		said[c.ID] = len(p.Criteria)
		p.Criteria = append(p.Criteria, c)
	}
	number(p.Criteria, said)
	return nil
}

// number gives the criteria without an id the lowest ids nobody uses.
func number(criteria []Criterion, taken map[string]int) {
	n := 0
	for i := range criteria {
		for criteria[i].ID == "" {
			n++
			if id := fmt.Sprintf("C%d", n); !has(taken, id) {
				criteria[i].ID = id
			}
		}
	}
}

func has(taken map[string]int, id string) bool {
	_, ok := taken[id]
	return ok
}

func parseCriterion(it item) (Criterion, error) {
	c := Criterion{Line: it.no()}
	var texts []string
	checked := false
	for i, l := range it.lines {
		if checked {
			return c, wrong(l.no, l.text, "a new criterion: a check ends with its line")
		}
		rest := l.text
		if m := criterionForm().FindStringSubmatchIndex(rest); i == 0 && m != nil {
			c.ID = "C" + rest[m[2]:m[3]]
			rest = strings.TrimLeft(rest[m[3]:], emphasis)
		}
		if len(texts) == 0 {
			rest = unlead(rest)
		}
		var text string
		if text, c.Check, checked = cutCheck(rest); text != "" {
			texts = append(texts, text)
		}
	}
	c.Text = unlead(strings.Join(texts, " "))
	if checked {
		c.Text = strings.TrimRight(c.Text, beforeCheck)
	}
	if c.Text == "" && c.Check == "" {
		return c, wrong(c.Line, it.text(), "a criterion such as: - C1 what must hold   check: file PATH exists")
	}
	return c, nil
}

// cutCheck splits a line into what people read and the check, which runs to
// the end of the line and is kept as written. found is also true for a check
// that says none.
func cutCheck(s string) (text, check string, found bool) {
	m := checkSetOff().FindStringSubmatchIndex(s)
	if m == nil {
		m = checkPlain().FindStringSubmatchIndex(s)
	}
	if m == nil {
		return strings.TrimSpace(s), "", false
	}
	text = strings.TrimRight(s[:m[0]], beforeCheck)
	check = s[m[1]:]
	if m[2] >= 0 && m[4] < 0 {
		check = closeMarks(strings.TrimSpace(check), "", s[m[2]:m[3]])
	}
	if check = strings.TrimSpace(check); none(check) {
		check = ""
	}
	return text, check, true
}

func (c Criterion) in(lang Language) string {
	label := "   " + checkTitle(lang)
	s := strings.TrimRight("- "+c.ID+" "+oneLine(c.Text), " ")
	if c.Check != "" {
		return s + label + oneLine(c.Check)
	}
	if _, _, found := cutCheck(c.Text); found {
		return s + label + nothing(lang)
	}
	return s
}
