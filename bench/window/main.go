// Window measures how long the window takes to be there, and how much memory
// it and its helpers use, against a Wails window with an empty page. Both are
// started in turn on one private display.
package main

import (
	"flag"
	"fmt"
	"image"
	"image/color"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"longwatch/build/screen"
)

// settle is how long after the first correct paint memory is looked at.
const settle = 4 * time.Second

func main() {
	window := flag.String("window", "bin/longwatch-window", "the window, with longwatch beside it")
	n := flag.Int("n", 5, "starts of each")
	flag.Parse()
	if err := measure(*window, *n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// subject is one program to measure.
type subject struct {
	path, name string // of its window
	// done is where, in the window, a dark colour says that the page is painted.
	done image.Point
	got  []sample
}

type sample struct {
	mapped, painted time.Duration
	pss             int // KiB
}

func measure(window string, n int) error {
	if missing := screen.Missing(); missing != "" {
		return fmt.Errorf("a display needs %s", missing)
	}
	dir, err := os.MkdirTemp("", "longwatch-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	bare := filepath.Join(dir, "bare")
	build := exec.Command("go", "build", "-tags", "desktop,production,webkit2_41", "-o", bare, "./bench/window/bare")
	build.Env, build.Stderr = append(os.Environ(), "CGO_ENABLED=1"), os.Stderr
	if err := build.Run(); err != nil {
		return err
	}
	s, err := screen.Open()
	if err != nil {
		return err
	}
	defer s.Close()
	subjects := []*subject{
		{path: bare, name: "Bare", done: image.Pt(600, 400)},
		{path: window, name: "Longwatch", done: image.Pt(16, 64)}, // in the button "New run"
	}
	for i := range n + 1 {
		for _, sub := range subjects {
			got, err := sub.start(s, dir)
			if err != nil {
				return fmt.Errorf("%s: %w", sub.name, err)
			}
			if i > 0 { // the first start only warms the caches
				sub.got = append(sub.got, got)
			}
		}
	}
	fmt.Printf("%d starts each, in turn, on Xvfb; load %s; %d processors\n", n, load(), runtime.NumCPU())
	for _, sub := range subjects {
		sub.print()
	}
	return nil
}

// start starts the program once, measures, and ends it.
func (sub *subject) start(s *screen.Screen, dir string) (got sample, err error) {
	c := exec.Command(sub.path)
	c.Env = s.Env("LONGWATCH_HOME="+filepath.Join(dir, "state"), "HOME="+dir)
	began := time.Now()
	if err := c.Start(); err != nil {
		return got, err
	}
	defer func() {
		_ = c.Process.Signal(syscall.SIGTERM)
		_ = c.Wait()
		err2 := s.Until("the window is gone", func() bool { return len(s.Windows()) == 0 })
		if err == nil {
			err = err2
		}
	}()
	w, err := s.Find(sub.name)
	if err != nil {
		return got, err
	}
	got.mapped = time.Since(began)
	err = s.Until("the page is painted", func() bool { return dark(s.Pixel(w.Rect.Min.Add(sub.done))) })
	if err != nil {
		return got, err
	}
	got.painted = time.Since(began)
	time.Sleep(settle)
	got.pss, err = tree(c.Process.Pid)
	return got, err
}

func dark(c color.RGBA) bool { return c.A == 255 && c.R < 60 && c.G < 140 && c.B > 60 && c.B < 160 }

// tree is the memory of a process and of all that it started, each page shared
// out among those who have it.
func tree(pid int) (kib int, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, is := strings.CutPrefix(line, "Pss:"); is {
			if kib, err = strconv.Atoi(strings.Fields(rest)[0]); err != nil {
				return 0, err
			}
		}
	}
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, t := range tasks {
		data, _ := os.ReadFile(t)
		for _, f := range strings.Fields(string(data)) {
			child, err := strconv.Atoi(f)
			if err != nil {
				return 0, err
			}
			if more, err := tree(child); err == nil { // it may just have ended
				kib += more
			}
		}
	}
	return kib, nil
}

func (sub *subject) print() {
	median := func(of func(sample) int) (lo, mid, hi int) {
		var all []int
		for _, g := range sub.got {
			all = append(all, of(g))
		}
		slices.Sort(all)
		return all[0], all[len(all)/2], all[len(all)-1]
	}
	show := func(what, unit string, of func(sample) int) {
		lo, mid, hi := median(of)
		fmt.Printf("  %-22s %5d %s (%d to %d)\n", what, mid, unit, lo, hi)
	}
	fmt.Println(sub.name)
	show("mapped", "ms", func(g sample) int { return int(g.mapped.Milliseconds()) })
	show("first correct paint", "ms", func(g sample) int { return int(g.painted.Milliseconds()) })
	show("memory of the tree", "MiB", func(g sample) int { return g.pss >> 10 })
}

func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Fields(string(data))[0]
}
