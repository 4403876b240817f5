package rundir

import "longwatch/backend/safefs"

// Size is how many bytes the run's files have.
func (r *Run) Size() (int64, error) { return sizeOf(r.dir) }

func sizeOf(d *safefs.Dir) (int64, error) {
	names, err := d.Names()
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, n := range names {
		info, err := d.Stat(n)
		if err != nil {
			return sum, err
		}
		if !info.IsDir() {
			sum += info.Size()
			continue
		}
		sub, err := d.Sub(n)
		if err != nil {
			return sum, err
		}
		below, err := sizeOf(sub)
		_ = sub.Close()
		if err != nil {
			return sum, err
		}
		sum += below
	}
	return sum, nil
}
