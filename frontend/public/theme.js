// Sets the theme before the first paint. lib/state/prefs.svelte.ts keeps it.
{
  let theme = 'auto';
  try {
    theme = JSON.parse(localStorage.getItem('longwatch.prefs') || '{}').theme;
  } catch {
    // No storage: the system decides.
  }
  if (theme !== 'light' && theme !== 'dark') {
    theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.dataset.theme = theme;
}
