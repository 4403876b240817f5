export type Theme = 'auto' | 'light' | 'dark';
export type Lang = 'en' | 'zh';

const KEY = 'longwatch.prefs';

interface Saved {
  theme?: unknown;
  lang?: unknown;
  letters?: unknown;
}

/** Prefs is how this person wants the page; it stays on this machine. */
class Prefs {
  theme: Theme = $state('auto');
  /** auto follows the browser's language. */
  lang: Lang | 'auto' = $state('auto');
  /** Whether single letters act as shortcuts. */
  letters = $state(true);

  language: Lang = $derived(this.lang === 'auto' ? preferred(navigator.languages) : this.lang);

  constructor() {
    const saved = load();
    if (saved.theme === 'light' || saved.theme === 'dark') this.theme = saved.theme;
    if (saved.lang === 'en' || saved.lang === 'zh') this.lang = saved.lang;
    if (saved.letters === false) this.letters = false;
  }

  /** keep writes and applies; called by an effect of the page. */
  keep(): () => void {
    const { theme, lang, letters } = this;
    try {
      localStorage.setItem(KEY, JSON.stringify({ theme, lang, letters }));
    } catch {
      // No storage: it holds until the page is closed.
    }
    document.documentElement.lang = this.language;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const apply = () => {
      document.documentElement.dataset.theme = theme === 'auto' ? (dark.matches ? 'dark' : 'light') : theme;
    };
    apply();
    dark.addEventListener('change', apply);
    return () => dark.removeEventListener('change', apply);
  }
}

/** preferred finds the first language that the page speaks. */
export function preferred(languages: readonly string[]): Lang {
  for (const language of languages) {
    if (/^zh\b/i.test(language)) return 'zh';
    if (/^en\b/i.test(language)) return 'en';
  }
  return 'en';
}

function load(): Saved {
  try {
    const saved: unknown = JSON.parse(localStorage.getItem(KEY) ?? '{}');
    return typeof saved === 'object' && saved !== null ? saved : {};
  } catch {
    return {};
  }
}

export const prefs = new Prefs();
