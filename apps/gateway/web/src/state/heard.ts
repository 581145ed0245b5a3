import type { LiveEvent, TurnState } from '../api/shapes.js';

/**
 * What is told while something is being fetched. The answer may be older than that: taking it in, one applies the
 * events again, so that an ended turn does not run for ever in what is shown.
 */
export function createHearing() {
  const listening = new Set<LiveEvent[]>();
  return {
    note(event: LiveEvent): void {
      for (const heard of listening) heard.push(event);
    },
    /** Runs a fetch; gives its answer and what was heard meanwhile. */
    async during<T>(fetch: () => Promise<T>): Promise<readonly [T, readonly LiveEvent[]]> {
      const heard: LiveEvent[] = [];
      listening.add(heard);
      try {
        return [await fetch(), heard];
      } finally {
        listening.delete(heard);
      }
    },
  };
}

/** What a session shows of its turn once this was told. */
export function turnOf({ state }: Extract<LiveEvent, { event: 'turn' }>): TurnState {
  return state === 'running' || state === 'interrupted' ? state : 'idle';
}

/** How the session's turn stood when it was told of last; undefined where it was not. */
export function turnHeard(heard: readonly LiveEvent[], key: string): TurnState | undefined {
  let turn: TurnState | undefined;
  for (const event of heard) {
    if (event.event === 'turn' && event.session_key === key) turn = turnOf(event);
    if (event.event === 'session' && event.session.key === key) turn = event.session.turn;
  }
  return turn;
}
