package loop

import (
	"strings"

	"longwatch/backend/protocol"
	"longwatch/backend/run"
)

// Judge holds an auditor's verdict against the facts and returns what it is
// worth, with the reason of each downgrade. There are no upgrades.
func Judge(r *run.Round, phase run.Phase, a protocol.Audit) (protocol.Verdict, []string) {
	v := a.Verdict
	var reasons []string
	lower := func(why string) {
		if v.Status == protocol.StatusComplete {
			v.Status = protocol.StatusIncomplete
		}
		reasons = append(reasons, why)
	}
	for _, c := range judged(r, phase) {
		lower(c)
	}
	if v.Status != protocol.StatusComplete {
		return v, reasons
	}
	if len(a.Blocking) > 0 {
		lower("blocking constraints are named: " + a.Blocking[0])
	}
	if v.Contract != protocol.ContractAligned {
		lower("the contract is " + string(v.Contract))
	}
	if v.Integrity == protocol.IntegrityViolation {
		lower("a violation never goes with complete")
	}
	for _, id := range a.Evidence {
		if strings.HasPrefix(id, "evidence/") {
			lower("the cited " + id + " is missing")
		}
	}
	return v, reasons
}

// judged names the failing machine checks that bind the verdict.
func judged(r *run.Round, phase run.Phase) []string {
	var out []string
	if r == nil {
		return nil
	}
	checked := r.Checked
	if phase == run.FinalAudit {
		checked = r.FinalChecked
	} else if checked == nil && hasChecks(r) {
		return []string{"the step's machine checks could not be run"}
	}
	if checked == nil {
		return nil
	}
	for _, c := range checked.Results {
		if !c.Passed() {
			out = append(out, "the check fails: "+c.Check)
		}
	}
	return out
}
