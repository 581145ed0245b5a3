import { type Cell, createCell } from './cell.js';

export type Route = { readonly page: 'session'; readonly key: string } | { readonly page: 'new' };

const lastSessionKey = 'holdfast.last-session';
const tabRouteKey = 'holdfast.route';

/** The route that an address's hash names; undefined where it names none. */
export function parseRoute(hash: string): Route | undefined {
  if (hash === '#/new') return { page: 'new' };
  const encoded = /^#\/s\/(.+)$/.exec(hash)?.[1];
  if (encoded === undefined) return undefined;
  try {
    return { page: 'session', key: decodeURIComponent(encoded) };
  } catch {
    return undefined;
  }
}

export function formatRoute(route: Route): string {
  return route.page === 'new' ? '#/new' : `#/s/${encodeURIComponent(route.key)}`;
}

export interface Router {
  readonly cell: Cell<Route>;
  go(route: Route): void;
  /** Like `go`, leaving nothing to go back to. */
  replace(route: Route): void;
}

/** Follows the address. Without a route in it, the session that was open last is opened again. */
export function createRouter(): Router {
  const last = localStorage.getItem(lastSessionKey);
  const home: Route = last === null ? { page: 'new' } : { page: 'session', key: last };
  const cell = createCell<Route>(parseRoute(openingHash()) ?? home);
  const remember = () => {
    const route = cell.get();
    sessionStorage.setItem(tabRouteKey, formatRoute(route));
    if (route.page === 'session') localStorage.setItem(lastSessionKey, route.key);
    else localStorage.removeItem(lastSessionKey);
  };
  cell.subscribe(remember);
  remember();
  const router: Router = {
    cell,
    go(route) {
      if (formatRoute(route) !== location.hash) history.pushState(null, '', formatRoute(route));
      cell.set(route);
    },
    replace(route) {
      history.replaceState(null, '', formatRoute(route));
      cell.set(route);
    },
  };
  addEventListener('popstate', () => cell.set(parseRoute(location.hash) ?? { page: 'new' }));
  router.replace(cell.get());
  return router;
}

/**
 * The hash that the page was opened with. A reload may take the address from before a `replace` that came in between (a
 * new chat that has just got its key): what the tab itself kept is newer.
 */
function openingHash(): string {
  const reloaded = performance
    .getEntriesByType('navigation')
    .some((entry) => (entry as PerformanceNavigationTiming).type === 'reload');
  return (reloaded ? sessionStorage.getItem(tabRouteKey) : null) ?? location.hash;
}
