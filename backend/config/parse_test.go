package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTemplateIsTheDefault(t *testing.T) {
	t.Parallel()
	got, problems := Parse([]byte(Template()))
	if diff := cmp.Diff([]Problem(nil), problems); diff != "" {
		t.Errorf("problems (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Errorf("settings (-want +got)\n%s", diff)
	}
	if err := got.Validate(); err != nil {
		t.Error(err)
	}
}

// What stands behind a "#" in the template must be right too.
func TestTemplateCommentsAreTrue(t *testing.T) {
	t.Parallel()
	var open []string
	for _, line := range strings.Split(Template(), "\n") {
		if text := strings.TrimPrefix(line, "# "); text != line && (strings.Contains(text, " = ") || strings.HasPrefix(text, "[")) {
			line = text
		}
		open = append(open, line)
	}
	got, problems := Parse([]byte(strings.Join(open, "\n")))
	if len(problems) > 0 {
		t.Fatalf("the template with its comments opened: %v", problems)
	}
	if got.Limits.Cost != 20_000_000 || got.Roles[Auditor].Agent != "codex" || len(got.Agents["my-agent"].Command) != 2 {
		t.Errorf("the comments were not read: %+v", got)
	}
}

func TestParseReadsOverTheDefaults(t *testing.T) {
	t.Parallel()
	got, problems := Parse([]byte("\xef\xbb\xbf" + `
agent = "claude"
ignore_patterns = []
[limits]
active = "2d12h"
cost = 2.5
[agents.claude]
model = "m"
`))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := Default()
	want.Agent, want.Ignore = "claude", []string{}
	want.Limits.Active, want.Limits.Cost = 60*3600*1000, 2_500_000
	want.Agents = map[string]Program{"claude": {Model: "m"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParseRefusesWithTheLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\nagnt = \"claude\"":                           `settings.toml:2: unknown key "agnt"; did you mean "agent"?`,
		"Agent = \"claude\"":                            `settings.toml:1: unknown key "Agent"; did you mean "agent"?`,
		"[limits]\nround = 3":                           `settings.toml:2: unknown key "limits.round"; did you mean "rounds"?`,
		"limits = {round = 3}":                          `settings.toml:1: unknown key "limits.round"; did you mean "rounds"?`,
		"[limit]\nrounds = 3":                           `settings.toml:1: unknown key "limit"; did you mean "limits"?`,
		"[roles.auditer]\nagent = \"codex\"":            `settings.toml:1: unknown key "roles.auditer"; did you mean "auditor"?`,
		"[roles.auditor]\nmodle = \"m\"":                `settings.toml:2: unknown key "roles.auditor.modle"; did you mean "model"?`,
		"[agents.x]\ncomand = [\"a\"]\ncommand=[\"a\"]": `settings.toml:2: unknown key "agents.x.comand"; did you mean "command"?`,
		"# a\n[agents.\"X y\"]\ncommand = [\"a\"]":      `settings.toml:2: unknown key "agents.\"X y\""`,
		"weather = 1":                                   `settings.toml:1: unknown key "weather"`,
		"agent = 3":                                     `settings.toml:1: "agent" is a whole number; wanted text`,
		"[limits]\n\nrounds = \"3\"":                    `settings.toml:3: "limits.rounds" is text; wanted a whole number`,
		"limits = 3":                                    `settings.toml:1: "limits" is a whole number; wanted a table`,
		"theme = true":                                  `settings.toml:1: "theme" is true or false; wanted text`,
		"notify_command = \"a\"":                        `settings.toml:1: "notify_command" is text; wanted a list`,
		"[keep_awake]":                                  `settings.toml:1: "keep_awake" is a table; wanted true or false`,
		"[limits]\ncost = true":                         `settings.toml:2: "limits.cost": wanted dollars, up to 1000000, such as "$20" or 2.50`,
		"[limits]\nactive = 8":                          `settings.toml:2: "limits.active": wanted a time with its unit, up to 365d, such as "90s", "45m", "8h" or "2d12h"`,
		"agent = \"claude\"\nagent = \"codex\"":         `settings.toml:2: "agent": Key 'agent' has already been defined.`,
		"\n[limits]\nrounds = 0":                        `settings.toml:3: "limits.rounds": wanted a number from 1 to 10000`,
		"agent = \"mine\"":                              `settings.toml:1: "agent": wanted one of playbook, claude, codex, opencode, dsh, api, or an agent with a command below [agents.mine]`,
		"[agents.mine]\nmodel = \"m\"":                  `settings.toml:1: "agents.mine": wanted a command, because this agent is not built in`,
		"[roles.auditor]\neffort = \"huge\"":            `settings.toml:2: "roles.auditor.effort": wanted low, medium, high, max`,
		"language = \"de\"":                             `settings.toml:1: "language": wanted en, zh`,
		"\xff":                                          `settings.toml: settings are not UTF-8 text`,
	} {
		_, problems := Parse([]byte(text))
		if len(problems) == 0 || !Refused(problems) {
			t.Errorf("Parse(%q) was not refused: %v", text, problems)
			continue
		}
		if diff := cmp.Diff(want, problems[0].String()); diff != "" {
			t.Errorf("Parse(%q) (-want +got)\n%s", text, diff)
		}
	}
}

func TestUnknownTableIsReportedOnce(t *testing.T) {
	t.Parallel()
	_, problems := Parse([]byte("[weather]\na = 1\n[weather.b]\nc = 2\n"))
	if len(problems) != 1 {
		t.Errorf("got %v", problems)
	}
}

func TestUnitsTravelAsNumbers(t *testing.T) {
	t.Parallel()
	limits := Limits{Rounds: 3, Active: 90_000, Cost: 2_500_000}
	data, err := json.Marshal(limits)
	if err != nil || string(data) != `{"rounds":3,"active_ms":90000,"cost_micros":2500000}` {
		t.Fatalf("Marshal = %s, %v", data, err)
	}
	var back Limits
	if err := json.Unmarshal(data, &back); err != nil || back != limits {
		t.Fatalf("Unmarshal = %+v, %v", back, err)
	}
	if got := limits.Over(Limits{Rounds: 9, Fails: 4}); got.Rounds != 3 || got.Fails != 4 {
		t.Errorf("Over = %+v", got)
	}
	if got := Money(2_500_000).String() + Money(20_000_000).String(); got != "$2.50$20" {
		t.Errorf("String = %s", got)
	}
}

func TestUnitsRefuseWhatHasNoMeaning(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "0s", "8", "-1h", "d", "0d", "366d", "1d-2h", "99999h", "1h d"} {
		if got, err := ParseMillis(text); err == nil {
			t.Errorf("ParseMillis(%q) = %d", text, got)
		}
	}
	for _, text := range []string{"", "$", "0", "-1", "1e3", "NaN", "1.2.3", "1000001", "0.0000001", "20€"} {
		if got, err := ParseMoney(text); err == nil {
			t.Errorf("ParseMoney(%q) = %d", text, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(Template()))
	f.Add([]byte("[agents.a]\ncommand=[\"x\"]\n[roles.auditor]\nagent=\"a\"\n[x.y.z]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, problems := Parse(data)
		lines := strings.Count(string(data), "\n") + 1
		for _, p := range problems {
			if p.Line < 0 || p.Line > lines || p.Text == "" {
				t.Fatalf("problem %+v of %d lines", p, lines)
			}
		}
		if !Refused(problems) {
			if err := s.Validate(); err != nil {
				t.Fatalf("accepted, but %v", err)
			}
		}
	})
}
