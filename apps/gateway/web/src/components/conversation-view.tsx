import { useMemo } from 'preact/hooks';
import { useCell } from '../state/cell.js';
import { pendingRows, storedRows } from '../state/rows.js';
import { Announcer } from './announcer.js';
import { Composer } from './composer.js';
import { ConnectionPill } from './connection-pill.js';
import { ConversationHeader } from './conversation-header.js';
import { EmptyChat } from './empty-chat.js';
import { MessageList } from './message-list.js';
import { usePage } from './page-context.js';

/** The open conversation: what was said, and where to say more. */
export function ConversationView({ onMenu }: { onMenu: () => void }) {
  const page = usePage();
  const conversation = useCell(page.conversation.cell);
  const outbox = useCell(page.outbox.cell);
  const liveTurns = useCell(page.liveTurns);
  const { target, timeline, session, phase, failure } = conversation;
  const segments = session?.segments;
  const stored = useMemo(
    () => storedRows(timeline, segments?.map((segment) => segment.last_seq) ?? []),
    [timeline, segments],
  );
  const live = liveTurns.get(target);
  const turn = session?.turn ?? 'idle';
  const outgoing = outbox.filter((message) => message.target === target);
  const rows = [...stored, ...pendingRows({ timeline, outgoing, turn, live, failure })];
  const running = live !== undefined || turn === 'running';
  return (
    <>
      <ConversationHeader session={session} isNew={phase === 'new'} onMenu={onMenu} />
      <div class="conversation">
        <ConnectionPill />
        {rows.length > 0 ? (
          <MessageList
            key={conversation.view}
            rows={rows}
            channel={session?.channel ?? 'web'}
            running={running}
            hasOlder={timeline.hasOlder}
            loadingOlder={conversation.loadingOlder}
          />
        ) : (
          <EmptyChat phase={phase} error={conversation.error} />
        )}
      </div>
      <Composer key={`composer-${conversation.view}`} running={running} />
      <Announcer view={conversation.view} phase={phase} timeline={timeline} />
    </>
  );
}
