package guard

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEnvironmentPassesNothingSecret(t *testing.T) {
	t.Parallel()
	base := []string{
		"HOME=/home/ada", "USER=ada", "LANG=de_DE.UTF-8", "LC_TIME=C", "TZ=UTC", "TERM=xterm-256color",
		"PATH=/ws/bin:bin::/usr/bin:/opt/x:/usr/bin:/ws", "TMPDIR=/scratch", "XDG_CACHE_HOME=/home/ada/c",
		"GITHUB_TOKEN=t", "OPENAI_API_KEY=k", "SSH_AUTH_SOCK=/s", "DBUS_SESSION_BUS_ADDRESS=unix:/b",
		"DISPLAY=:0", "WAYLAND_DISPLAY=w", "XDG_RUNTIME_DIR=/run/user/1", "TMUX=/t", "DOCKER_HOST=d",
		"LD_PRELOAD=/x.so", "LONGWATCH_TREE=other", "LC_ALL=a\nb", "no equals sign",
		"HTTPS_PROXY=http://ada:secret@proxy:1", "HTTP_PROXY=http://proxy:1", "SSL_CERT_FILE=/ws/ca.pem",
	}
	at := Places{Workspace: "/ws", Private: "/p"}
	open := []string{
		"HOME=/home/ada", "HTTP_PROXY=http://proxy:1", "LANG=de_DE.UTF-8", "LC_TIME=C",
		"PATH=/usr/bin:/opt/x", "TERM=dumb", "TMPDIR=/scratch", "TZ=UTC", "USER=ada",
		"XDG_CACHE_HOME=/home/ada/c",
	}
	private := []string{
		"GIT_OPTIONAL_LOCKS=0", "GOCACHE=/p/home/.cache/go-build", "GOFLAGS=-mod=readonly", "HOME=/p/home",
		"HTTP_PROXY=http://proxy:1", "LANG=de_DE.UTF-8", "LC_TIME=C", "PATH=/usr/bin:/opt/x",
		"PYTHONDONTWRITEBYTECODE=1", "TERM=dumb", "TMPDIR=/p/tmp", "TZ=UTC", "USER=ada",
		"XDG_CACHE_HOME=/p/home/.cache", "XDG_CONFIG_HOME=/p/home/.config",
		"XDG_DATA_HOME=/p/home/.local/share", "XDG_RUNTIME_DIR=/p/run",
		"XDG_STATE_HOME=/p/home/.local/state", "npm_config_cache=/p/home/.cache/npm",
	}
	for profile, want := range map[Profile][]string{
		Executor: open, Service: open, Desktop: open,
		Auditor: private, Thinker: private, Check: private,
	} {
		if diff := cmp.Diff(want, Environment(base, profile, at)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", profile, diff)
		}
	}
	if got := Environment([]string{"PATH=/ws/bin"}, Executor, at); !strings.HasPrefix(got[0], "PATH=/usr/") {
		t.Errorf("with nothing usable in PATH: %q", got)
	}
}

func TestMakePrivateMakesWhatProgramsExpectToBeThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	check(t, MakePrivate(dir))
	env := map[string]string{}
	for _, kv := range Environment(nil, Auditor, Places{Private: dir}) {
		name, value, _ := strings.Cut(kv, "=")
		env[name] = value
	}
	for _, name := range []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR"} {
		st, err := os.Stat(env[name])
		check(t, err)
		if st.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: mode %v", name, st.Mode())
		}
	}
}
