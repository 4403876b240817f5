package task

// Template returns the commented task file that "longwatch init" writes. It
// parses without a problem, and its steps run in an empty folder.
func Template() string {
	return `---
# What is to be done stands below the second ---. Everything up here is optional.
title: Say hello and count the words

# Who does it: playbook (runs the steps below, needs no model), claude, codex,
# opencode, dsh, api, or an agent from your settings.
# agent: claude
# model: a-model-name
# effort: high                  # low, medium, high, max
# roles:
#   auditor: {agent: codex, minutes: 20}

# When to stop and ask.
limits: {rounds: 10, fails: 3}
# limits: {rounds: 40, active: 8h, tokens: 2000000, cost: $20}
# deadline: 2026-12-31 18:00

# Longwatch looks at these itself before it believes that the task is done.
checks:
  - file hello.txt contains "hello"
  - json count.json $.words == 2

# One step after the other. Each has a name, what to run and what is then true.
steps:
  - name: hello.txt greets the world
    run: echo "hello, world" > hello.txt
    expect: file hello.txt matches /^hello, world$/
  - name: count.json has the number of words
    run: |
      words=$(wc -w < hello.txt)
      echo "{\"words\": $words}" > count.json
    expect:
      - json count.json $.words == 2
      - run ` + "`test -s count.json`" + ` within 10s
    timeout: 1m
---
# Say hello and count the words

Write a greeting into hello.txt and count its words into count.json.

- [ ] hello.txt greets the world
- [ ] count.json has the number of words
`
}
