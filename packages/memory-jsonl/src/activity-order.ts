import type { PagePlace } from '@x/session-store';

/**
 * Sessions by their last activity, newest first. A session that was active moves only when somebody asks for the
 * order: a page costs what is on it and what has moved since, not what is stored.
 */
export interface ActivityOrder {
  /** The session is new, was active or is gone: its place is to be looked up anew. */
  touch(key: string): void;
  /** All keys behind a place. `activeAtOf` tells the present time of a session, undefined where it is gone. */
  walk(activeAtOf: (key: string) => string | undefined, after: PagePlace | undefined): Iterable<string>;
}

/** So many moved sessions are put in their places one by one; more of them once and for all. */
const movedAtMost = 512;

/** `sorted` are in order already. */
export function createActivityOrder(sorted: readonly PagePlace[]): ActivityOrder {
  let places = sorted;
  const moved = new Set<string>();

  function* merged(from: number, fresh: readonly PagePlace[]): Generator<PagePlace> {
    let next = 0;
    for (let at = from; at < places.length; at += 1) {
      const place = places[at];
      if (place === undefined || moved.has(place.key)) continue;
      for (
        let other = fresh[next];
        other !== undefined && byActivity(other, place) < 0;
        other = fresh[next]
      ) {
        yield other;
        next += 1;
      }
      yield place;
    }
    yield* fresh.slice(next);
  }

  return {
    touch(key) {
      moved.add(key);
    },
    *walk(activeAtOf, after) {
      const fresh: PagePlace[] = [];
      for (const key of moved) {
        const activeAt = activeAtOf(key);
        if (activeAt !== undefined) fresh.push({ key, activeAt });
      }
      fresh.sort(byActivity);
      if (moved.size > movedAtMost) {
        places = [...merged(0, fresh)];
        moved.clear();
        fresh.length = 0;
      }
      const from = after === undefined ? 0 : firstBehind(places, after);
      const wanted = after === undefined ? fresh : fresh.slice(firstBehind(fresh, after));
      for (const { key } of merged(from, wanted)) yield key;
    },
  };
}

export function byActivity(left: PagePlace, right: PagePlace): number {
  if (left.activeAt !== right.activeAt) return left.activeAt > right.activeAt ? -1 : 1;
  return left.key < right.key ? -1 : left.key > right.key ? 1 : 0;
}

function firstBehind(places: readonly PagePlace[], after: PagePlace): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const place = places[middle];
    if (place !== undefined && byActivity(after, place) < 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
