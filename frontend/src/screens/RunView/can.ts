import type { RunView } from '$lib/bridge';
import { removable } from '../RunList/row';

/** Can is what may be asked of a run as it stands. */
export interface Can {
  message: boolean;
  pause: boolean;
  resume: boolean;
  stop: boolean;
  remove: boolean;
  answer: boolean;
  follow: boolean;
}

/** can says it. Of records that cannot be read nothing is asked. */
export function can(view: RunView): Can {
  const standing = view.run.standing;
  const open = standing !== 'ended' && standing !== 'broken';
  const stopping = view.stopping ?? false;
  return {
    message: open && !stopping,
    pause: (standing === 'working' || standing === 'waiting') && !stopping && !view.why.facts?.pausing,
    // An interrupted run is resumed from its banner, which says what that means.
    resume: standing === 'new' || standing === 'paused' || pausing(view),
    stop: open && standing !== 'new' && !(stopping && view.why.facts?.abort),
    remove: removable(view.run),
    answer: standing === 'needs_you',
    follow: standing === 'ended',
  };
}

/** pausing says that a pause was asked for and the phase still runs. */
export function pausing(view: RunView): boolean {
  return view.run.standing !== 'ended' && view.why.facts?.pausing === 'true';
}
