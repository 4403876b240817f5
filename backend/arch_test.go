package backend_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// order is the house from the ground up. A package imports only packages that
// stand before it.
var order = []string{
	"safefs", "protocol", "check", "config", "task", "run", "gate", "loop",
	"ledger", "guard", "evidence", "capability", "rundir",
	"agent", "computeruse", "worker", "operator", "api", "window", "cli",
}

// ban is an import that a package may not have.
type ban struct {
	in     []string // packages, "*" for all
	path   string   // import path or prefix ending in "/"
	except []string
	why    string
}

const ours = "longwatch/backend/"

var bans = []ban{
	{[]string{"*"}, "github.com/wailsapp/", nil, "the window is replaceable and tests need no GTK"},
	{[]string{"agent"}, ours + "ledger", nil, "an adapter can neither write history nor judge itself"},
	{[]string{"agent"}, ours + "rundir", nil, "an adapter can neither write history nor judge itself"},
	{[]string{"agent"}, ours + "guard", nil, "an adapter gets a launcher as an interface"},
	{[]string{"agent"}, ours + "evidence", nil, "an adapter can neither write history nor judge itself"},
	{[]string{"guard"}, ours + "agent", nil, "the watched do not describe the watch"},
	{[]string{"api"}, ours + "loop", nil, "a window cannot run a round"},
	{[]string{"ledger"}, ours, []string{ours + "safefs"}, "the ledger knows no domain word"},
	{pure, "os", nil, "they replay and they fuzz: no environment"},
	{pure, "os/", nil, "they replay and they fuzz: no process"},
	{pure, "io/fs", nil, "they replay and they fuzz: no file"},
	{pure, "syscall", nil, "they replay and they fuzz: no system"},
	{pure, "golang.org/x/sys/", nil, "they replay and they fuzz: no system"},
	{pure, "net", nil, "they replay and they fuzz: no network"},
	{pure, "net/", nil, "they replay and they fuzz: no network"},
	{pure, "math/rand", nil, "they replay and they fuzz: no chance"},
	{pure, "math/rand/v2", nil, "they replay and they fuzz: no chance"},
	{pure, "crypto/rand", nil, "they replay and they fuzz: no chance"},
}

var pure = []string{"protocol", "run", "gate", "loop"}

// execs are the packages that may start processes.
var execs = []string{"agent", "computeruse", "guard", "capability", "worker"}

// writers are the packages besides safefs that may change the file system by
// themselves, and why.
var writers = map[string]string{
	"guard":      "private folders of episodes, which are not in a run directory; restores beneath descriptors",
	"worker":     "private folders of episodes, which are not in a run directory",
	"capability": "tries whether the state folder can be written",
	"rundir":     "makes the state folder itself, before there is one to anchor in",
	"window":     "makes its socket private, which is no file",
	"operator":   "makes a new workspace in the person's own folder",
	"cli":        "init writes task.md into the person's own folder",
}

// clock are the calls that read or wait for the time.
var clock = []string{"Now", "Since", "Until", "After", "AfterFunc", "Sleep", "Tick", "NewTimer", "NewTicker"}

// write are the calls of package os that change the file system.
var write = []string{
	"OpenFile", "Create", "CreateTemp", "WriteFile", "Rename", "Mkdir", "MkdirAll", "MkdirTemp",
	"Remove", "RemoveAll", "Symlink", "Link", "Chmod", "Truncate",
}

// source is one parsed file that ships.
type source struct {
	pkg, path string
	file      *ast.File
	set       *token.FileSet
}

func sources(t *testing.T) []source {
	t.Helper()
	var out []source
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		pkg, _, inside := strings.Cut(path, "/")
		if !inside {
			return nil
		}
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, source{pkg, path, f, set})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 50 {
		t.Fatalf("found only %d source files", len(out))
	}
	return out
}

func TestPackagesImportOnlyWhatStandsBelowThem(t *testing.T) {
	for _, s := range sources(t) {
		here := slices.Index(order, s.pkg)
		if here < 0 {
			t.Errorf("%s: package %s has no place in the house; see order", s.path, s.pkg)
		}
		for _, path := range imports(s.file) {
			name, ok := strings.CutPrefix(path, ours)
			if !ok {
				continue
			}
			name, _, _ = strings.Cut(name, "/")
			if there := slices.Index(order, name); there >= here && name != s.pkg {
				t.Errorf("%s: %s may not import %s, which stands above it", s.path, s.pkg, name)
			}
		}
	}
}

func TestBannedImports(t *testing.T) {
	for _, s := range sources(t) {
		for _, path := range imports(s.file) {
			for _, b := range bans {
				hit := path == b.path || (strings.HasSuffix(b.path, "/") && strings.HasPrefix(path, b.path))
				if hit && (b.in[0] == "*" || slices.Contains(b.in, s.pkg)) && !slices.Contains(b.except, path) {
					t.Errorf("%s imports %s: %s", s.path, path, b.why)
				}
			}
			if path == "os/exec" && !slices.Contains(execs, s.pkg) {
				t.Errorf("%s imports os/exec: only %v start processes", s.path, execs)
			}
		}
	}
}

func TestPurePackagesReadNoClock(t *testing.T) {
	for _, s := range sources(t) {
		if !slices.Contains(pure, s.pkg) {
			continue
		}
		calls(s, "time", clock, func(name string, line int) {
			t.Errorf("%s:%d: time.%s in a pure package", s.path, line, name)
		})
	}
}

func TestOnlySafefsWritesFiles(t *testing.T) {
	for _, s := range sources(t) {
		if s.pkg == "safefs" || writers[s.pkg] != "" {
			continue
		}
		calls(s, "os", write, func(name string, line int) {
			t.Errorf("%s:%d: os.%s outside safefs", s.path, line, name)
		})
	}
}

// What puts faults into file calls is for tests; no command line may reach it.
func TestNothingThatShipsInjectsFaults(t *testing.T) {
	shipped := sources(t)
	main, err := filepath.Glob("../*.go")
	if err != nil || len(main) == 0 {
		t.Fatalf("no program above the house: %v", err)
	}
	for _, path := range main {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(path, "_test.go") {
			shipped = append(shipped, source{"main", path, f, set})
		}
	}
	for _, s := range shipped {
		calls(s, "safefs", []string{"Inject", "Fault", "Tear"}, func(name string, line int) {
			t.Errorf("%s:%d: safefs.%s is for tests", s.path, line, name)
		})
	}
}

// The window's toolkit costs 54 MB and a third of a second in each process that
// links it. Workers, agents and tests are the plain build.
func TestThePlainBuildKnowsNoToolkit(t *testing.T) {
	list := exec.Command("go", "list", "-deps", "..")
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if !slices.Contains(deps, ours+"cli") {
		t.Fatalf("the program does not depend on its commands: %d packages", len(deps))
	}
	for _, d := range deps {
		if strings.Contains(d, "wailsapp") || d == "runtime/cgo" {
			t.Errorf("the plain build links %s", d)
		}
	}
}

func TestTheProgramRunsNoRound(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("no program above the house: %v", err)
	}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(imports(f), ours+"loop") && !strings.HasSuffix(path, "_test.go") {
			t.Errorf("%s imports loop: only a worker runs rounds", path)
		}
	}
}

func TestEveryPackageIsDocumentedInOneFile(t *testing.T) {
	docs := map[string][]string{}
	for _, s := range sources(t) {
		if filepath.Dir(s.path) != s.pkg {
			continue
		}
		docs[s.pkg] = append(docs[s.pkg], "")
		if s.file.Doc != nil {
			docs[s.pkg][0] += s.path + " "
		}
	}
	for pkg, d := range docs {
		if strings.Count(d[0], ".go ") != 1 {
			t.Errorf("package %s wants its doc in exactly one file; it is in: %q", pkg, d[0])
		}
	}
}

// Limits that keep god files and god functions from growing. They are far above
// what we aim for (see docs/ARCHITECTURE.md).
const (
	longestFile = 400
	longestFunc = 80
)

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	for _, s := range sources(t) {
		if n := s.set.File(s.file.Pos()).LineCount(); n > longestFile {
			t.Errorf("%s has %d lines; split it by what it is about", s.path, n)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			n := s.set.Position(f.End()).Line - s.set.Position(f.Pos()).Line
			if n > longestFunc {
				t.Errorf("%s: %s has %d lines", s.path, f.Name.Name, n)
			}
		}
	}
}

func imports(f *ast.File) []string {
	var out []string
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err == nil {
			out = append(out, p)
		}
	}
	return out
}

// calls reports each use of one of the names of a standard package.
func calls(s source, pkg string, names []string, report func(name string, line int)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == pkg && x.Obj == nil && slices.Contains(names, sel.Sel.Name) {
			report(sel.Sel.Name, s.set.Position(sel.Pos()).Line)
		}
		return true
	})
}
