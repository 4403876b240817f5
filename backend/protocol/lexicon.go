package protocol

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// entry is one value with the words for it. The first word is how English
// writes it, the second how Chinese does, the others are only understood.
type entry[T ~string] struct {
	value T
	words []string
}

// lexicon is a closed set of values. Of a verdict header the first entry is
// the favourable value.
type lexicon[T ~string] []entry[T]

var routes = lexicon[Route]{
	{GUI, []string{"gui", "桌面", "图形界面", "图形"}},
	{CLI, []string{"cli", "命令行", "终端"}},
	{Wait, []string{"wait", "等待"}},
	{Ask, []string{"ask", "询问", "提问"}},
	{Done, []string{"done", "完成", "已完成"}},
	{Stop, []string{"blocked", "阻塞", "受阻"}},
}

var marks = lexicon[Mark]{
	{Completed, []string{"completed", "已完成", "complete", "完成"}},
	{Pending, []string{"pending", "待定", "未完成", "待办"}},
	{Blocked, []string{"blocked", "阻塞", "受阻"}},
	{Untrusted, []string{"untrusted", "不可信"}},
}

var statuses = lexicon[Status]{
	{StatusComplete, []string{"complete", "完成", "已完成", "completed"}},
	{StatusIncomplete, []string{"incomplete", "未完成"}},
	{StatusBlocked, []string{"blocked", "阻塞", "受阻"}},
}

var integrities = lexicon[Integrity]{
	{IntegrityClean, []string{"clean", "干净"}},
	{IntegritySuspect, []string{"suspect", "可疑"}},
	{IntegrityViolation, []string{"violation", "违规"}},
}

var contractAudits = lexicon[ContractAudit]{
	{ContractAligned, []string{"aligned", "一致"}},
	{ContractRevision, []string{"needs_revision", "需修订", "needs revision", "needs-revision", "需要修订"}},
	{ContractInvalid, []string{"invalid", "无效"}},
	{ContractUnknown, []string{"unknown", "未知"}},
}

var effects = lexicon[Effect]{
	{EffectBetter, []string{"better", "变好", "改善", "improved"}},
	{EffectSame, []string{"same", "不变", "无变化", "unchanged"}},
	{EffectWorse, []string{"worse", "变差", "恶化", "made worse"}},
}

// read finds the value that s begins with. What follows must be set off as a
// remark and may not offer another value.
func (x lexicon[T]) read(s string) (value T, remark string, ok bool) {
	s = plain(s)
	for _, e := range x {
		for _, w := range e.words {
			if remark, ok := setOff(s, w); ok {
				return e.value, remark, !x.offersOther(e.value, remark)
			}
		}
	}
	return value, "", false
}

func (x lexicon[T]) offersOther(value T, remark string) bool {
	r := strings.TrimLeft(remark, openers+"/|｜,，、")
	if strings.HasPrefix(r, "或") || startsWord(r, "or") {
		return true
	}
	for _, e := range x {
		for _, w := range e.words {
			if e.value != value && startsWord(r, w) {
				return true
			}
		}
	}
	return false
}

func (x lexicon[T]) knows(s string) bool {
	_, _, ok := x.read(s)
	return ok
}

// firm is read for a verdict header: a favourable word that its remark takes
// back is not a value.
func (x lexicon[T]) firm(s string) (T, bool) {
	v, remark, ok := x.read(s)
	return v, ok && (v != x[0].value || !hedged(remark))
}

func (x lexicon[T]) knowsFirm(s string) bool {
	_, ok := x.firm(s)
	return ok
}

func (x lexicon[T]) in(value T, lang Language) string {
	for _, e := range x {
		if e.value == value && lang == Chinese {
			return e.words[1]
		}
	}
	return string(value)
}

// wanted lists the values for an error.
func (x lexicon[T]) wanted() string {
	var b strings.Builder
	b.WriteString("one of ")
	for i, e := range x {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(e.value))
	}
	return b.String()
}

const (
	openers = " \t\u3000*_`\"'“‘([{（【「『<"
	closers = "*_`\"'”’)]}）】」』>"
	// mostWord is how much of a value is looked at, in bytes.
	mostWord = 256
)

// plain is the beginning of s in lower case, without what decorates it.
func plain(s string) string {
	s = strings.TrimLeft(s, openers)
	if len(s) > mostWord {
		s = strings.ToValidUTF8(s[:mostWord], "")
	}
	return strings.ToLower(strings.TrimSpace(s))
}

// setOff reports whether s is word alone, or word and a remark that is set off
// by punctuation: `cli.`, `cli (shell is enough)`, `cli — why`. A remark that
// just goes on (`ask the user`) makes a sentence, and not a value.
func setOff(s, word string) (remark string, ok bool) {
	rest, ok := strings.CutPrefix(s, word)
	if !ok {
		return "", false
	}
	rest = strings.TrimLeft(rest, closers)
	tail := strings.TrimLeft(rest, closers+" \t\u3000")
	if tail == "" {
		return "", true
	}
	r, n := utf8.DecodeRuneInString(tail)
	next, _ := utf8.DecodeRuneInString(tail[n:])
	switch {
	case strings.ContainsRune("。，；：！—–([{（【✅✔☑", r):
	case strings.ContainsRune(".,;:!", r) && !unicode.IsLetter(next) && !unicode.IsDigit(next):
	case r == '-' && len(tail) < len(rest) && unicode.IsSpace(next):
	default:
		return "", false
	}
	return strings.TrimSpace(strings.TrimLeft(tail[n:], "\ufe0f.,;:!-")), true
}

// startsWord reports whether s begins with word and the word ends there.
func startsWord(s, word string) bool {
	rest, ok := strings.CutPrefix(s, word)
	if !ok || rest == "" {
		return ok
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return word[0] >= utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

var hedges = []string{
	"but", "except", "unless", "if", "once", "almost", "pending", "not",
	"however", "although", "though", "apart", "other", "assuming", "partly",
	"但", "除", "如果", "若", "不过", "尚", "假设", "部分", "只是",
}

// hedged reports whether a remark takes back what it follows.
func hedged(remark string) bool {
	r := strings.TrimLeft(remark, openers)
	for _, h := range hedges {
		if startsWord(r, h) {
			return true
		}
	}
	return false
}

var noneWords = []string{
	"none", "n/a", "na", "nil", "nothing", "no", "no blocking constraints",
	"no blockers", "none found", "none identified", "none known",
	"无", "没有", "无阻塞", "无阻塞约束", "暂无", "空",
}

var unchangedWords = []string{
	"unchanged", "no change", "no changes", "same as before", "as before",
	"不变", "未变", "无变化", "没有变化", "同上",
}

// none reports whether s says that there is nothing. A remark may follow, as
// long as nothing in it limits the word.
func none(s string) bool {
	if strings.Trim(s, "-–—/*_ \t") == "" {
		return true
	}
	for _, w := range noneWords {
		if remark, ok := setOff(plain(s), w); ok {
			return !limited(remark)
		}
	}
	return false
}

// limited reports whether a hedge stands anywhere in a remark on "none".
func limited(remark string) bool {
	for _, h := range hedges {
		if h[0] >= utf8.RuneSelf && strings.Contains(remark, h) {
			return true
		}
	}
	words := strings.FieldsFunc(remark, func(r rune) bool { return !unicode.IsLetter(r) })
	return slices.ContainsFunc(words, func(w string) bool {
		return w != "not" && slices.Contains(hedges, w)
	})
}

func unchanged(s string) bool {
	for _, w := range unchangedWords {
		if _, ok := setOff(plain(s), w); ok {
			return true
		}
	}
	return none(s)
}
