// Addresses are fragments, because the window has one file to serve and no
// server to rewrite paths.

export type Show = 'all' | 'needs' | 'running' | 'finished';

export type Route =
  | { screen: 'runs'; show: Show }
  | { screen: 'new' }
  | { screen: 'run'; id: string; round?: number; tab?: string }
  | { screen: 'doctor' }
  | { screen: 'sign-in'; code: string }
  | { screen: 'lost'; hash: string };

const SHOWS: readonly Show[] = ['all', 'needs', 'running', 'finished'];

/** parse reads a fragment, with or without its "#". */
export function parse(fragment: string): Route {
  const hash = fragment.replace(/^#/, '');
  if (hash.startsWith('code=')) return { screen: 'sign-in', code: plain(hash.slice('code='.length)) };
  const [path = '', query = ''] = hash.split('?', 2);
  const parts = path.split('/').filter(Boolean).map(plain);
  switch (parts[0] ?? 'runs') {
    case 'runs':
      if (parts.length > 1) break;
      return {
        screen: 'runs',
        show: SHOWS.find((s) => s === new URLSearchParams(query).get('show')) ?? 'all',
      };
    case 'new':
    case 'doctor':
      if (parts.length > 1) break;
      return { screen: parts[0] as 'new' | 'doctor' };
    case 'run': {
      const run = parseRun(parts);
      if (run) return run;
    }
  }
  return { screen: 'lost', hash };
}

function parseRun(parts: string[]): Route | null {
  const [, id, kind, n, tab, ...rest] = parts;
  if (!id || rest.length > 0) return null;
  if (kind === undefined) return { screen: 'run', id };
  if (kind !== 'round' || !/^[1-9]\d{0,5}$/.test(n ?? '')) return null;
  return tab === undefined
    ? { screen: 'run', id, round: Number(n) }
    : { screen: 'run', id, round: Number(n), tab };
}

// A fragment typed by hand may hold a lone "%".
function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** to writes a route as an address for href. */
export function to(route: Route): string {
  switch (route.screen) {
    case 'runs':
      return route.show === 'all' ? '#/runs' : `#/runs?show=${route.show}`;
    case 'new':
    case 'doctor':
      return `#/${route.screen}`;
    case 'run': {
      const run = `#/run/${encodeURIComponent(route.id)}`;
      if (route.round === undefined) return run;
      return `${run}/round/${route.round}${route.tab ? `/${encodeURIComponent(route.tab)}` : ''}`;
    }
    case 'sign-in':
      return '#/runs';
    case 'lost':
      return '#' + route.hash;
  }
}

class Router {
  route: Route = $state.raw(parse(location.hash));

  constructor() {
    addEventListener('hashchange', () => {
      this.route = parse(location.hash);
    });
  }

  /** go changes the screen; replaced, the way back does not lead through it. */
  go(route: Route, replaced = false): void {
    if (replaced) history.replaceState(null, '', to(route));
    else if (location.hash !== to(route)) history.pushState(null, '', to(route));
    this.route = route;
  }
}

export const router = new Router();
