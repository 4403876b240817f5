package guard

import "golang.org/x/sys/unix"

// Diff lists what differs from a to b, sorted by path, each path once. A
// folder in which names came and went is not reported for its times alone.
func Diff(a, b *Manifest) []Change {
	var out []Change
	i, j := 0, 0
	for i < len(a.Entries) || j < len(b.Entries) {
		switch {
		case j == len(b.Entries) || i < len(a.Entries) && a.Entries[i].Path < b.Entries[j].Path:
			x := a.Entries[i]
			out = append(out, Change{Path: x.Path, What: Removed, Kind: x.Kind(), Before: x.state()})
			i++
		case i == len(a.Entries) || b.Entries[j].Path < a.Entries[i].Path:
			y := b.Entries[j]
			out = append(out, Change{Path: y.Path, What: Added, Kind: y.Kind(), After: y.state()})
			j++
		default:
			x, y := a.Entries[i], b.Entries[j]
			if what := compare(x, y); what != "" {
				out = append(out, Change{
					Path: y.Path, What: what, Kind: y.Kind(),
					Before: x.state(), After: y.state(),
				})
			}
			i++
			j++
		}
	}
	return out
}

// compare names the first difference in order of weight, or "" for none.
func compare(x, y *Entry) What {
	switch {
	case x.Mode&unix.S_IFMT != y.Mode&unix.S_IFMT:
		return Type
	case x.Unstable || y.Unstable:
		return Content // unknown content is never "the same"
	case x.Hash != y.Hash || x.Size != y.Size || x.Link != y.Link || x.Err != y.Err:
		return Content
	case x.Mode != y.Mode:
		return Mode
	case x.UID != y.UID || x.GID != y.GID:
		return Owner
	case x.Ino != y.Ino:
		return Replaced
	case y.isDir():
		return compareDirTimes(x, y)
	case x.Mtime != y.Mtime:
		return Times
	case x.Nlink != y.Nlink:
		return Links
	case x.Ctime != y.Ctime:
		return Meta
	}
	return ""
}

// compareDirTimes tells a folder that was itself touched from one whose
// children were: a new or removed name sets mtime and ctime to one moment, so
// a ctime away from mtime is from something else.
func compareDirTimes(x, y *Entry) What {
	switch {
	case x.Ctime == y.Ctime || y.Ctime == y.Mtime:
		return ""
	case x.Mtime != y.Mtime:
		return Times
	}
	return Meta
}
