import { bridge } from '$lib/bridge';
import { gates } from '$lib/state/gates.svelte';
import { prefs } from '$lib/state/prefs.svelte';
import { runs } from '$lib/state/runs.svelte';
import { router } from '../router.svelte';

const mac = /Mac|iPhone|iPad/.test(navigator.platform);

/** modifier is how the key of shortcuts is called on this machine. */
export const modifier = mac ? '⌘' : 'Ctrl';

// A browser keeps Ctrl N for itself, so there it is the letter alone.
/** newKey is the key for a new run, as it is shown. */
export const newKey = bridge.name === 'browser' ? 'N' : mac ? '⌘ N' : 'Ctrl N';

/** typing says whether a key belongs to a field. */
export function typing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** inDialog says whether a dialog is open; then the page behind it is quiet. */
export function inDialog(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}

/** letter answers with the single key pressed, or '' where single keys do not
 * count: in a field, with a modifier, in a dialog, or switched off. Screens with
 * keys of their own ask it too. */
export function letter(event: KeyboardEvent): string {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return '';
  if (!prefs.letters || typing(event.target) || inDialog()) return '';
  return event.key.length === 1 ? event.key.toLowerCase() : '';
}

/** shortcuts handles the keys that act on every screen. */
export function shortcuts(sheet: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    if ((mac ? event.metaKey : event.ctrlKey) && !event.shiftKey && event.key.toLowerCase() === 'n') {
      event.preventDefault();
      if (!inDialog()) router.go({ screen: 'new' });
      return;
    }
    switch (letter(event)) {
      case 'n':
        event.preventDefault();
        return router.go({ screen: 'new' });
      case '?':
        return sheet();
      case 'g': {
        const oldest = runs.groups.needs[0];
        if (oldest) gates.open(oldest.id);
      }
    }
  };
}
