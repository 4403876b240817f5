package config

// Template returns the commented settings file that "longwatch init" writes. It
// parses to Default: what differs from it stands behind a "#".
func Template() string {
	return `# Longwatch settings. Every line is optional; what is shown is the default.
# A task file and the command line override these for one run.

# Who plays every role: playbook, claude, codex, opencode, dsh, api, or a name
# of your own (see [agents.NAME] below). Left out, the task has to say.
# agent = "claude"
# model = ""              # left out: the agent's own default
# effort = "medium"       # low, medium, high, max

# language = "en"         # of window and messages: en, zh; left out: the system's
# prompt_language = "en"  # of what the agents are told
theme = "system"          # system, light, dark
display = "private"       # private: a display of its own; mine: your screen
keep_awake = true         # no sleep while a run is at work
# notify_command = ["notify-send", "Longwatch"]

# Changes of these files mean nothing to a verdict.
ignore_patterns = [".DS_Store", "*.swp", "*~", ".#*"]
# What builds make again.
build_patterns = ["node_modules/", "__pycache__/", "target/", ".venv/", ".pytest_cache/", ".cache/"]

# When a run stops and asks you.
[limits]
rounds = 25
fails = 3                 # failed rounds in a row
# active = "8h"           # time at work, waiting not counted
# tokens = 2000000
# cost = "$20"

# How long one episode of a role may take.
[minutes]
manager = 10
executor = 30
auditor = 10
reporter = 3

# Other players for single roles: manager, executor, gui_executor, cli_executor,
# auditor, gui_auditor, cli_auditor, reporter.
# [roles.auditor]
# agent = "codex"
# effort = "high"

# How much a role is told.
[brief]
level = "full"            # full, compact, brief, thin: for small models
control_kib = 8
evidence_kib = 24

# How much an episode may leave behind; more is cut, visibly.
[output]
report_kib = 256
trace_mib = 64
shell_kib = 64

# How much all runs together keep.
[storage]
total_gib = 20             # no new run starts above it; nothing is deleted for it
keep_days = 0             # finished runs; 0: for ever

# An agent of your own, or another place or model for a built-in one. Only this
# file can name a program; a task file cannot.
# [agents.my-agent]
# command = ["my-agent", "--quiet"]
# prompt = "stdin"        # stdin, arg, file
# pass_env = ["MY_AGENT_KEY"]
# model = ""
`
}
