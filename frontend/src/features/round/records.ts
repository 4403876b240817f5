import type { Record } from '$lib/bridge';

/** progress counts the requirements, and those an audit has verified. */
export function progress(records: readonly Record[]): { done: number; all: number } {
  const requirements = records.filter((record) => record.id.startsWith('R'));
  return {
    done: requirements.filter((record) => record.mark === 'completed').length,
    all: requirements.length,
  };
}

/** unresolved are the records that nothing has settled, requirements or not. */
export function unresolved(records: readonly Record[]): Record[] {
  return records.filter((record) => record.mark !== 'completed');
}
