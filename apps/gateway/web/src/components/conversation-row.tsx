import { useCell } from '../state/cell.js';
import type { LiveTurn } from '../state/live-turns.js';
import type { Outgoing } from '../state/outbox.js';
import type { Row } from '../state/rows.js';
import { Icon } from './icon.js';
import { MarkdownText } from './markdown-text.js';
import { MessageRow } from './message-row.js';
import { usePage } from './page-context.js';

export function ConversationRow(props: { row: Row; channel: string; running: boolean }) {
  const { row, channel, running } = props;
  switch (row.kind) {
    case 'message':
      return <MessageRow {...row} channel={channel} running={running} />;
    case 'outgoing':
      return <OutgoingRow outgoing={row.outgoing} waits={running} />;
    case 'live':
      return <LiveRow turn={row.turn} />;
    case 'note':
      return (
        <div class={`note note-${row.note}`}>
          <Icon name="alert" size={16} />
          <span>
            <strong>{row.note === 'interrupted' ? 'Interrupted. ' : 'Failed. '}</strong>
            {row.text}
          </span>
        </div>
      );
  }
}

/** A message of one's own that is not confirmed yet. */
function OutgoingRow({ outgoing, waits }: { outgoing: Outgoing; waits: boolean }) {
  const page = usePage();
  const connection = useCell(page.connection);
  return (
    <article class="message message-user" aria-label="You">
      <div class={`bubble bubble-${outgoing.state}`}>{outgoing.text}</div>
      {outgoing.state === 'sending' ? (
        <div class="message-foot message-foot-shown">{waits ? 'Waiting for its turn…' : 'Sending…'}</div>
      ) : (
        <div class="message-foot message-foot-shown message-foot-failed" role="alert">
          <Icon name="alert" size={14} />
          <span>Not sent. {outgoing.error}</span>
          <button
            type="button"
            class="link-button"
            disabled={connection === 'lost'}
            onClick={() => page.retry(outgoing)}
          >
            Retry
          </button>
          <button type="button" class="link-button" onClick={() => page.outbox.remove(outgoing.id)}>
            Discard
          </button>
        </div>
      )}
    </article>
  );
}

/** The answer while it is being written. */
function LiveRow({ turn }: { turn: LiveTurn | undefined }) {
  return (
    <article
      class="message message-assistant message-live"
      aria-label="Answer being written"
      aria-busy="true"
    >
      {turn && turn.text !== '' && (
        <MarkdownText text={turn.fromStart ? turn.text : `… ${turn.text.trimStart()}`} />
      )}
      <div class="working">
        <span class="working-dots" aria-hidden="true">
          <span />
          <span />
          <span />
        </span>
        {turn?.toolName ? `Using ${turn.toolName}` : 'Answering'}
      </div>
    </article>
  );
}
