package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"longwatch/backend/capability"
	"longwatch/backend/worker"
)

func (a *app) doctorCommand() *cobra.Command {
	return &cobra.Command{
		Use: "doctor", Short: "Look for what Longwatch needs, and say what is missing",
		Long:    "Exit code 2 when something needed is missing.",
		Example: "  longwatch doctor",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := a.home()
			if err != nil {
				return err
			}
			defer h.Close()
			s, err := a.settings(h)
			if err != nil {
				return err
			}
			list := capability.Look(h.Path(), worker.Agents(s))
			for _, c := range list {
				if c.State == capability.Missing {
					a.code = ExitUsage
				}
			}
			if a.json {
				return printJSON(a.out, list)
			}
			for _, c := range list {
				fmt.Fprintf(a.out, "%-8s %-22s %s\n", c.State, c.Name, c.Text)
				if c.Fix != "" {
					fmt.Fprintf(a.out, "%-8s %-22s %s\n", "", "", c.Fix)
				}
			}
			return nil
		},
	}
}
