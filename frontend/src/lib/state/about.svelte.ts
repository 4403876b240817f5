import { type About, bridge } from '$lib/bridge';
import { link } from './link.svelte';

/** AboutState is what this Longwatch says of itself; read again after each
 * reconnection, for it may be another version then. */
class AboutState {
  known: About | null = $state.raw(null);

  begin(): void {
    link.hear({
      changed: () => {},
      missed: () => {
        bridge.about().then(
          (about) => (this.known = about),
          () => {},
        );
      },
    });
  }
}

export const about = new AboutState();
