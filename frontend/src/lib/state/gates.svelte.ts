// Which gate stands open as a dialog. features/gate/GateHost.svelte shows it.

class Gates {
  /** The run whose gate dialog is wanted; null shows none. */
  shown: string | null = $state(null);

  /** open is called by a key, the bar on top, or the list. */
  open(run: string): void {
    this.shown = run;
  }

  /** later puts the question back into the bar on top. */
  later(): void {
    this.shown = null;
  }
}

export const gates = new Gates();
