import type { SessionDriver } from '../driver.js';

/** One call on its way to the driver. */
export interface DriverCall {
  readonly method: 'transact' | 'load' | 'scan' | 'owner' | 'page' | 'search' | 'close';
  /** The sessions or aliases it is about, the leading one first. */
  readonly names: readonly string[];
  readonly limit?: number;
}

/** What happens to calls before they reach the driver and after it has done them: nothing, a wait, a failure. */
export interface Interception {
  before?(call: DriverCall): void | Promise<void>;
  after?(call: DriverCall): void | Promise<void>;
}

/** The driver, with a wire in between that a case can cut, hold or listen to: what it answers from memory goes that way too. */
export function wired(driver: SessionDriver, interceptions: ReadonlySet<Interception>): SessionDriver {
  async function pass<T>(call: DriverCall, run: () => Promise<T>): Promise<T> {
    for (const each of interceptions) await each.before?.(call);
    const answer = await run();
    for (const each of interceptions) await each.after?.(call);
    return answer;
  }

  const { search } = driver;
  return {
    name: driver.name,
    capabilities: driver.capabilities,
    transact: (need, decide) =>
      pass({ method: 'transact', names: [...need.keys, ...need.aliases] }, () =>
        driver.transact(need, decide),
      ),
    load: (key) => pass({ method: 'load', names: [key] }, () => driver.load(key)),
    scan: (key, range) =>
      pass({ method: 'scan', names: [key], limit: range.limit }, () => driver.scan(key, range)),
    owner: (alias) => pass({ method: 'owner', names: [alias] }, () => driver.owner(alias)),
    page: (query, after) =>
      pass({ method: 'page', names: [], limit: query.limit }, () => driver.page(query, after)),
    ...(search === undefined
      ? {}
      : {
          search: (text, query, cursor) =>
            pass({ method: 'search', names: [], limit: query.limit }, () =>
              search.call(driver, text, query, cursor),
            ),
        }),
    ...(driver.leases === undefined ? {} : { leases: driver.leases }),
    close: () => pass({ method: 'close', names: [] }, () => driver.close()),
  };
}

/** Holds the first call of this kind at the driver's door until it is let go, and notes what the driver has done. */
export function held(
  { intercept }: { intercept(interception: Interception): () => void },
  method: DriverCall['method'],
) {
  let letGo = () => {};
  const door = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  let isFirst = true;
  const done: DriverCall['method'][] = [];
  intercept({
    async before(call) {
      if (call.method !== method || !isFirst) return;
      isFirst = false;
      arrive();
      await door;
    },
    after(call) {
      done.push(call.method);
    },
  });
  return { arrived, letGo, done };
}
