package protocol

import "strings"

// Language is the language headings and values are written in. Reading always
// understands both.
type Language string

const (
	English Language = "en"
	Chinese Language = "zh"
)

// heading is one of the known headings of a plan or a report.
type heading int

const (
	headRecords heading = iota + 1
	headContract
	headNext
	headTask
	headServes
	headCriteria
	headBoundaries
	headRelated
	headQuestion
	headChoices
	headUntil
	headEvery
	headExpires

	headStatus
	headIntegrity
	headAudit
	headFacts
	headEvidence
	headGaps
	headBlocking
	headUpdate
	headEffect
)

// shape is what follows a heading.
type shape int

const (
	word  shape = iota // a value from a closed set, on one line
	row                // one line of any text
	list               // lines that are read one by one
	prose              // free text, several lines
)

// spec is what there is to know about one heading.
type spec struct {
	shape  shape
	en, zh string
	also   []string
	reads  func(string) bool // when set, only a readable value makes a heading
	listed bool              // counts even as a list item inside prose
}

// vocabulary is the set of headings of one kind of text.
type vocabulary struct {
	specs map[heading]spec
	names map[string]heading
	plan  bool
}

var planWords = newVocabulary(true, map[heading]spec{
	headRecords:    {shape: list, en: "Current task state", zh: "当前任务状态", also: []string{"current state", "task state", "任务状态", "当前状态"}},
	headContract:   {shape: prose, en: "Task contract", zh: "任务契约", also: []string{"任务合同", "任务合约"}},
	headNext:       {shape: word, en: "Next", zh: "下一步", also: []string{"next step", "route", "路线"}, reads: routes.knows},
	headTask:       {shape: prose, en: "Task", zh: "任务"},
	headServes:     {shape: list, en: "Requirements", zh: "需求", also: []string{"requirement", "serves", "对应需求"}, reads: readsServes},
	headCriteria:   {shape: list, en: "Acceptance criteria", zh: "验收标准", also: []string{"acceptance criterion", "验收条件"}},
	headBoundaries: {shape: prose, en: "Boundaries", zh: "边界", also: []string{"boundary"}},
	headRelated:    {shape: list, en: "Related audit reports", zh: "相关审计报告", also: []string{"related audit report", "related audits", "related reports", "相关审计"}},
	headQuestion:   {shape: prose, en: "Question", zh: "问题"},
	headChoices:    {shape: list, en: "Choices", zh: "选项"},
	headUntil:      {shape: row, en: "Until", zh: "直到", also: []string{"wait until", "等待条件"}},
	headEvery:      {shape: word, en: "Every", zh: "每隔", also: []string{"间隔"}, reads: readsDuration},
	headExpires:    {shape: word, en: "Expires", zh: "过期", also: []string{"expires after", "到期", "超时"}, reads: readsDuration},
})

var reportWords = newVocabulary(false, map[heading]spec{
	headStatus:    {shape: word, en: "Status", zh: "状态", reads: statuses.knowsFirm},
	headIntegrity: {shape: word, en: "Integrity", zh: "完整性", also: []string{"诚信"}, reads: integrities.knowsFirm},
	headAudit:     {shape: word, en: "Contract audit", zh: "契约审计", also: []string{"合同审计"}, reads: contractAudits.knowsFirm},
	headEffect:    {shape: word, en: "Effect", zh: "影响", also: []string{"效果"}, reads: effects.knows},
	headFacts:     {shape: prose, en: "Facts", zh: "事实", also: []string{"verified facts", "已核实的事实"}},
	headEvidence:  {shape: list, en: "Evidence", zh: "证据", also: []string{"evidence ids", "证据编号"}},
	headGaps:      {shape: prose, en: "Gaps", zh: "缺口", also: []string{"差距"}},
	headBlocking:  {shape: list, en: "Blocking constraints", zh: "阻塞约束", also: []string{"blocking constraint", "blocking issues", "blockers", "阻塞项", "阻塞性约束", "阻塞限制"}, listed: true},
	headUpdate:    {shape: prose, en: "State update for manager", zh: "给管理者的状态更新", also: []string{"state update for the manager", "state update", "状态更新"}},
})

func newVocabulary(plan bool, specs map[heading]spec) vocabulary {
	v := vocabulary{specs: specs, names: map[string]heading{}, plan: plan}
	for h, s := range specs {
		for _, n := range append([]string{s.en, s.zh}, s.also...) {
			v.names[keyOf(n)] = h
		}
	}
	return v
}

// title is the heading with its colon, as it is written.
func (v *vocabulary) title(h heading, lang Language) string {
	if lang == Chinese {
		return v.specs[h].zh + "："
	}
	return v.specs[h].en + ":"
}

// matched is a line that has the form of a heading.
type matched struct {
	head   heading
	value  string
	listed bool // behind a list marker
	level  int  // number of #, 0 for none
}

const (
	emphasis = "*_`"
	mostKey  = 64 // bytes in which the colon of a heading must stand
)

// match reads `Next: cli` under any decoration: list markers, #, bold, code
// ticks. Without a colon only a # or bold line that is nothing but the name
// of a heading is one.
func (v *vocabulary) match(text string) (matched, bool) {
	m, t := undecorated(text)
	bare := strings.TrimLeft(t, emphasis)
	marks := t[:len(t)-len(bare)]
	key, value, colon := cutColon(bare)
	if !colon && (m.level == 0 && len(marks) < 2 || len(bare) > mostKey) {
		return matched{}, false
	}
	m.head = v.names[keyOf(key)]
	if m.head == 0 {
		return matched{}, false
	}
	if !colon {
		return m, true
	}
	m.value = closeMarks(strings.TrimSpace(value), key, marks)
	return m, true
}

// undecorated takes list markers and # from the front of a line.
func undecorated(text string) (m matched, rest string) {
	t := strings.TrimSpace(text)
	for range 3 {
		if hashes := len(t) - len(strings.TrimLeft(t, "#")); hashes > 0 {
			m.level = hashes
			t = strings.TrimSpace(t[hashes:])
		}
		rest, listed := unlist(t)
		if !listed {
			break
		}
		m.listed, t = true, rest
	}
	return m, t
}

func cutColon(s string) (key, value string, ok bool) {
	near := s[:min(len(s), mostKey)]
	i := strings.IndexAny(near, ":：")
	if i < 0 {
		return s, "", false
	}
	return s[:i], strings.TrimPrefix(strings.TrimPrefix(s[i:], ":"), "："), true
}

// closeMarks takes from value what closes the marks that opened before the
// key: `**Status:** complete`, `**Next: cli**`.
func closeMarks(value, key, marks string) string {
	if marks == "" || strings.HasSuffix(strings.TrimSpace(key), marks[len(marks)-1:]) {
		return value
	}
	back := []byte(marks)
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	if rest, ok := strings.CutPrefix(value, string(back)); ok {
		return strings.TrimSpace(rest)
	}
	return strings.TrimSpace(strings.TrimSuffix(value, string(back)))
}

// keyOf is the form in which names of headings are compared.
func keyOf(name string) string {
	name = strings.ToLower(strings.Trim(name, emphasis+" \t\u3000"))
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return r == ' ' || r == '\t' || r == '_' || r == '-'
	}), " ")
}
