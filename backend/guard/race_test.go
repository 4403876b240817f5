//go:build race

package guard

import "runtime"

func raceErrors() int { return runtime.RaceErrors() }
