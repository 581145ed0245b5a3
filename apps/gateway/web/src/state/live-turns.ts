import type { LiveEvent } from '../api/shapes.js';

/** What a running turn has said since its last stored message. */
export interface LiveTurn {
  readonly turnId: string;
  readonly text: string;
  /** False where the beginning of `text` was not heard: the page was opened, or was offline, in mid-answer. */
  readonly fromStart: boolean;
  /** The tool at work, if one is. */
  readonly toolName?: string;
}

/** The running turns of all sessions by session key, so that a session switched to shows the answer so far. */
export type LiveTurns = ReadonlyMap<string, LiveTurn>;

export function applyToLiveTurns(turns: LiveTurns, event: LiveEvent): LiveTurns {
  switch (event.event) {
    case 'turn':
      if (event.state === 'running') {
        return put(turns, event.session_key, { turnId: event.turn_id, text: '', fromStart: true });
      }
      return without(turns, event.session_key, event.turn_id);
    case 'user':
      // A turn stores its message before it says a word.
      if (turns.get(event.session_key)?.turnId === event.turn_id) return turns;
      return put(turns, event.session_key, { turnId: event.turn_id, text: '', fromStart: true });
    case 'token': {
      const { turnId, text, fromStart } = turnOf(turns, event);
      return put(turns, event.session_key, { turnId, text: text + event.text, fromStart });
    }
    case 'tool': {
      const { turnId, text, fromStart } = turnOf(turns, event);
      const next = { turnId, text, fromStart };
      return put(
        turns,
        event.session_key,
        event.phase === 'start' ? { ...next, toolName: event.name } : next,
      );
    }
    case 'sub_turn':
    case 'summary': {
      const { turnId, text, fromStart } = turnOf(turns, event);
      const toolName = event.event === 'summary' ? 'summary' : `helper: ${event.task}`;
      const isAtWork = event.phase === 'start';
      return put(turns, event.session_key, { turnId, text, fromStart, ...(isAtWork && { toolName }) });
    }
    case 'message': {
      // Its words are stored now; what follows is the next step's.
      const known = turns.get(event.session_key);
      if (known?.turnId !== event.turn_id) return turns;
      return put(turns, event.session_key, { turnId: event.turn_id, text: '', fromStart: true });
    }
    case 'session':
      if (event.session.turn === 'running') return turns;
      return without(turns, event.session.key);
    case 'session_deleted':
      return without(turns, event.key);
    default:
      return turns;
  }
}

/** After the connection was away: words may be missing in the middle of what was heard. */
export function markMissed(turns: LiveTurns): LiveTurns {
  return new Map(
    [...turns].map(([key, { turnId }]) => [key, { turnId, text: '', fromStart: false }] as const),
  );
}

function turnOf(turns: LiveTurns, event: { session_key: string; turn_id: string }): LiveTurn {
  const known = turns.get(event.session_key);
  return known?.turnId === event.turn_id ? known : { turnId: event.turn_id, text: '', fromStart: false };
}

function put(turns: LiveTurns, key: string, turn: LiveTurn): LiveTurns {
  return new Map(turns).set(key, turn);
}

function without(turns: LiveTurns, key: string, turnId?: string): LiveTurns {
  const known = turns.get(key);
  if (!known || (turnId !== undefined && known.turnId !== turnId)) return turns;
  const rest = new Map(turns);
  rest.delete(key);
  return rest;
}
