package checkpoint

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// small mounts a file system with little room.
func small(t *testing.T, dir string) {
	t.Helper()
	check(t, os.MkdirAll(dir, 0o755))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size=4m,mode=0755"); err != nil {
		t.Skipf("THE FULL DISK IS NOT TESTED HERE: mount needs root: %v", err)
	}
	t.Cleanup(func() { check(t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

func TestSaveRefusesADiskWithTooLittleRoom(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	check(t, p.close())
	small(t, filepath.Join(p.dir, "store"))
	check(t, p.open())
	t.Cleanup(func() { check(t, p.close()) }) // before the unmount
	p.write(t, "a", noise(1, 1<<20))
	p.save(t)
	p.write(t, "b", noise(2, 2<<20))
	_, err := p.trySave(Note{})
	var space *SpaceError
	if !errors.As(err, &space) || space.Need < 4<<20 || space.Free > 3<<20 {
		t.Fatalf("save: %v", err)
	}
	if rep := p.clean(t); rep.Checkpoints != 1 {
		t.Errorf("report: %+v", rep)
	}
}

// The disk fills up between the look and the write.
func TestAFullDiskIsSaidAsSuchAndLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	check(t, p.close())
	small(t, filepath.Join(p.dir, "store"))
	check(t, p.open())
	t.Cleanup(func() { check(t, p.close()) })
	w := &packWriter{dir: p.store.packs, limit: 1 << 40}
	var err error
	for i := 0; err == nil && i < 100; i++ {
		err = w.put(hash{byte(i)}, raw, []byte(noise(i, 1<<20)), 1<<20)
	}
	var space *SpaceError
	if !errors.As(p.store.explain(err, 0, 1), &space) {
		t.Fatalf("a full disk: %v", err)
	}
	check(t, w.close())
	p.write(t, "a", noise(1, 1<<20))
	p.save(t)
	p.clean(t)
}

func TestRestoreRefusesAWorkspaceWithTooLittleRoom(t *testing.T) {
	t.Parallel()
	p := newPlace(t, Options{})
	small(t, p.ws)
	p.write(t, "a", noise(1, 3<<20))
	first := p.save(t)
	p.write(t, "a", noise(2, 3<<20))
	_, err := p.tryRestore(first.ID)
	var space *SpaceError
	if !errors.As(err, &space) || p.read(t, "a") != noise(2, 3<<20) {
		t.Fatalf("restore: %v", err)
	}
}
