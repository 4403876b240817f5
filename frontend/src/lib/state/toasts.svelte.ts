export interface Toast {
  id: number;
  text: string;
  /** Trouble stays until it is dismissed. */
  trouble: boolean;
}

/** How long good news stay, in ms. */
const STAY_MS = 6000;

/** Toasts are short words on what just happened, and what the live region says. */
class Toasts {
  list: Toast[] = $state.raw([]);
  /** For people who listen; not shown. */
  polite = $state('');
  assertive = $state('');
  #last = 0;

  say(text: string): void {
    const id = this.#add(text, false);
    setTimeout(() => this.dismiss(id), STAY_MS);
  }

  trouble(text: string): void {
    this.#add(text, true);
  }

  /** announce is heard and not seen: round and gate changes only. */
  announce(text: string, urgent = false): void {
    if (urgent) this.assertive = text;
    else this.polite = text;
  }

  dismiss(id: number): void {
    this.list = this.list.filter((toast) => toast.id !== id);
  }

  #add(text: string, trouble: boolean): number {
    this.list = [
      ...this.list.filter((toast) => toast.text !== text),
      { id: ++this.#last, text, trouble },
    ].slice(-4);
    return this.#last;
  }
}

export const toasts = new Toasts();
