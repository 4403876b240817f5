package loop

import (
	"strings"

	"longwatch/backend/run"
)

// notice names the budgets that have just passed 80 %.
func notice(s *run.State) string {
	var out []string
	for _, b := range passed(s) {
		out = append(out, b.Budget)
	}
	return strings.Join(out, " ")
}

// passed lists the budgets that passed 80 % and were not noted yet.
func passed(s *run.State) []run.BudgetNoted {
	var out []run.BudgetNoted
	for _, b := range budgets(s) {
		if b.Limit > 0 && b.Used*10 >= b.Limit*8 && !s.Noted[b.Budget] {
			out = append(out, b)
		}
	}
	return out
}

func budgets(s *run.State) []run.BudgetNoted {
	return []run.BudgetNoted{
		{Budget: "rounds", Used: int64(len(s.Rounds)), Limit: int64(s.Limits.Rounds)},
		{Budget: "active", Used: s.Used.Millis, Limit: s.Limits.ActiveMillis},
		{Budget: "tokens", Used: s.Used.Tokens, Limit: s.Limits.Tokens},
		{Budget: "cost", Used: s.Used.MicroUSD, Limit: s.Limits.MicroUSD},
	}
}
