package protocol

import (
	"strings"
	"time"
)

// Text writes the plan in the one spelling that every reader understands.
// ParsePlan reads it back as the same plan, but for the lines of criteria.
func (p Plan) Text(lang Language) string {
	w := writer{voc: &planWords, lang: lang}
	if len(p.Records) > 0 {
		w.line(headRecords, "")
		for _, r := range p.Records {
			w.b.WriteString(r.in(lang) + "\n")
		}
	}
	w.prose(headContract, p.Contract)
	w.line(headNext, routes.in(p.Route, lang))
	w.prose(headTask, p.Task)
	w.some(headServes, p.Serves)
	if len(p.Criteria) > 0 {
		w.line(headCriteria, "")
		for _, c := range p.Criteria {
			w.b.WriteString(c.in(lang) + "\n")
		}
	}
	w.prose(headBoundaries, p.Boundaries)
	related := make([]string, len(p.Related))
	for i, n := range p.Related {
		related[i] = RoundName(n)
	}
	w.some(headRelated, related)
	w.prose(headQuestion, p.Question)
	if len(p.Choices) > 0 {
		w.line(headChoices, oneLine(strings.Join(p.Choices, " | ")))
	}
	if p.Until != "" {
		w.line(headUntil, checkTitle(lang)+oneLine(p.Until))
	}
	w.time(headEvery, p.EveryMillis)
	w.time(headExpires, p.ExpireMillis)
	return w.b.String()
}

func checkTitle(lang Language) string {
	if lang == Chinese {
		return "检查："
	}
	return "check: "
}

// writer writes headings with their values.
type writer struct {
	voc  *vocabulary
	lang Language
	b    strings.Builder
}

func (w *writer) line(h heading, value string) {
	title := w.voc.title(h, w.lang)
	if value != "" && w.lang != Chinese {
		title += " "
	}
	w.b.WriteString(title + value + "\n")
}

func (w *writer) some(h heading, values []string) {
	comma := ", "
	if w.lang == Chinese {
		comma = "、"
	}
	if len(values) > 0 {
		w.line(h, strings.Join(values, comma))
	}
}

func (w *writer) time(h heading, millis int64) {
	if millis > 0 {
		w.line(h, FormatDuration(time.Duration(millis)*time.Millisecond))
	}
}

// prose writes free text: behind the heading when it is one line, else below.
func (w *writer) prose(h heading, text string) {
	if text == "" {
		return
	}
	if _, _, fence := fenceOf(newLine(1, text)); !fence && !strings.ContainsAny(text, "\r\n") {
		w.line(h, text)
		return
	}
	w.block(h, text)
}

// items writes a list below its heading.
func (w *writer) items(h heading, items []string) {
	var b strings.Builder
	for _, it := range items {
		if it = oneLine(it); it != "" {
			b.WriteString("- " + it + "\n")
		}
	}
	if b.Len() > 0 {
		w.block(h, strings.TrimSuffix(b.String(), "\n"))
	}
}

// block writes lines below a heading. Lines that would be read as something
// else than what they are go in as code.
func (w *writer) block(h heading, text string) {
	w.line(h, "")
	indent := ""
	if !w.safe(h, text) {
		indent = strings.Repeat(" ", codeIndent)
	}
	for l := range strings.SplitSeq(text, "\n") {
		if l != "" {
			l = indent + l
		}
		w.b.WriteString(l + "\n")
	}
}

// safe reports whether nothing below the heading is read as a heading, and no
// code block stays open.
func (w *writer) safe(h heading, text string) bool {
	d, err := scan(split(w.voc.title(h, w.lang)+"\n"+text), w.voc)
	return err == nil && !d.unclosed && len(d.sections) == 1 && !d.among()
}

// among reports whether a line was doubted that did not stay in free text.
func (d document) among() bool {
	for _, x := range d.doubts {
		if x.among {
			return true
		}
	}
	return false
}
