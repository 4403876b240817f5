/** coalesce makes many calls few: the work never overlaps, begins at most once
 * in gap ms, and begins once more when it was asked for while it went on. */
export function coalesce(work: () => Promise<void>, gap: number): () => void {
  let busy = false;
  let again = false;
  const run = async () => {
    busy = true;
    again = false;
    try {
      await work();
    } finally {
      setTimeout(() => {
        busy = false;
        if (again) void run();
      }, gap);
    }
  };
  return () => {
    if (busy) again = true;
    else void run();
  };
}
