import type { TurnEvent } from '@x/agent-runtime';

/*
 * What happens in a turn, as surfaces are told: one view for each kind of event, the same for the stream of an answer
 * and for those who only watch.
 */

type EventOf<Type extends TurnEvent['type']> = Extract<TurnEvent, { readonly type: Type }>;

export function viewToolEvent(event: EventOf<'tool'>) {
  const { phase, id, name } = event;
  return event.phase === 'start'
    ? { phase, id, name, arguments: event.arguments }
    : { phase, id, name, result: event.result };
}

/** `waiting`: a message is safe, and waits for the turn's next point · `joined`: the model is called with it. */
export function viewSteeringEvent(event: EventOf<'steering'>) {
  const { phase, message } = event;
  return { phase, id: message.id, ...(event.phase === 'joined' ? { seq: event.message.seq } : {}) };
}

/** What a turn within the turn does; of its words, only the result. */
export function viewSubTurnEvent(event: EventOf<'sub_turn'>) {
  const { phase, id } = event;
  if (event.phase === 'start') return { phase, id, task: event.task, depth: event.depth };
  if (event.phase === 'event') return undefined;
  return { phase, id, status: event.status, text: event.text };
}

export function viewSummaryEvent(event: EventOf<'summary'>) {
  const { phase, throughSeq } = event;
  const more =
    event.phase === 'end'
      ? { summary: event.summary }
      : event.phase === 'failed'
        ? { error: event.error }
        : {};
  return { phase, through_seq: throughSeq, ...more };
}
