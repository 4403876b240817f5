import { type Item, offsets, reveal, shifted, span } from './positioning';

/** What a window is taken to show before it is known, in px. */
const SOME = 900;

/** Scroller draws only the rows of a long list that are in view. What is read
 * stays where it is while rows above turn out higher than was guessed. */
export class Scroller {
  list: readonly Item[] = $state.raw([]);
  /** The end of the list is kept in view. */
  follow = $state(true);
  top = $state(0);
  height = $state(SOME);

  // One map for good: a copy for each row that is measured would be a thousand
  // entries each time. The number says that it has changed.
  #heights = new Map<string, number>();
  #measures = $state(0);
  at = $derived.by(() => {
    void this.#measures;
    return offsets(this.list, this.#heights);
  });
  shown = $derived(span(this.at, this));
  total = $derived(this.at[this.list.length] as number);

  #box: HTMLElement | undefined;
  #last = { top: 0, total: 0 };
  #keys = new WeakMap<Element, string>();
  #rows: ResizeObserver | undefined;
  #attachments = new Map<string, (element: HTMLElement) => () => void>();

  /** attach is an attachment for the box that scrolls. */
  attach = (box: HTMLElement): (() => void) => {
    this.#box = box;
    const watch = new ResizeObserver(() => {
      this.height = box.clientHeight || SOME;
      this.settle();
    });
    watch.observe(box);
    return () => {
      watch.disconnect();
      this.#rows?.disconnect();
      this.#rows = this.#box = undefined;
    };
  };

  /** row is an attachment for each row that is drawn, the same one each time: a
   * new one would have the row measured again. */
  row(key: string): (element: HTMLElement) => () => void {
    let attach = this.#attachments.get(key);
    if (!attach) {
      attach = (element) => {
        this.#rows ??= new ResizeObserver((entries) => this.#measured(entries));
        this.#keys.set(element, key);
        this.#rows.observe(element);
        return () => this.#rows?.unobserve(element);
      };
      this.#attachments.set(key, attach);
    }
    return attach;
  }

  /** settle keeps the end in view, where it is followed. */
  settle(): void {
    if (this.follow) this.#to(this.total);
  }

  /** scrolled is called for each scroll of the box. Moving up, other than by a
   * list that became shorter, is the person's wish to stay. */
  scrolled = (): void => {
    const box = this.#box;
    if (!box) return;
    if (box.scrollTop < this.#last.top - 2 && this.total >= this.#last.total) this.follow = false;
    this.top = box.scrollTop;
    this.#last = { top: box.scrollTop, total: this.total };
  };

  /** bring scrolls a row into view. */
  bring(key: string): void {
    const i = this.list.findIndex((item) => item.key === key);
    if (i >= 0) this.#to(reveal(this.at, i, this));
  }

  #to(top: number): void {
    const box = this.#box;
    if (!box) return;
    box.scrollTop = top;
    this.top = box.scrollTop;
    this.#last = { top: box.scrollTop, total: this.total };
  }

  #measured(entries: ResizeObserverEntry[]): void {
    const news = new Map<string, number>();
    for (const { target, borderBoxSize } of entries) {
      const key = this.#keys.get(target);
      const height = borderBoxSize[0]?.blockSize ?? 0;
      if (key && height > 0 && this.#heights.get(key) !== height) news.set(key, height);
    }
    if (news.size === 0) return;
    const by = this.follow ? 0 : shifted(this.list, this.at, news, this.top);
    for (const [key, height] of news) this.#heights.set(key, height);
    this.#measures++;
    if (by !== 0) queueMicrotask(() => this.#to(this.top + by));
    else this.settle();
  }
}
