import { useEffect, useRef, useState } from 'preact/hooks';
import { useCell } from '../state/cell.js';
import type { SessionList } from '../state/session-list.js';
import { usePage } from './page-context.js';
import { SessionRow, sessionRowHeight } from './session-row.js';
import { useVirtualRows } from './virtual-rows.js';

/**
 * The list itself. One row takes part in the tab order; the arrow keys go from row to row, so that ten thousand
 * conversations are one stop on the way through the page.
 */
export function SessionRows({ list, onNavigate }: { list: SessionList; onNavigate: () => void }) {
  const page = usePage();
  const conversation = useCell(page.conversation.cell);
  const scroller = useRef<HTMLDivElement>(null);
  const [focused, setFocused] = useState<string>();
  const { sessions } = list;
  const rows = useVirtualRows({
    count: sessions.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => sessionRowHeight,
    getItemKey: (index) => sessions[index]?.key ?? index,
    overscan: 6,
  });
  const drawn = rows.getVirtualItems();
  const lastDrawn = drawn.at(-1)?.index ?? 0;
  const wantsMore = list.nextCursor !== null && lastDrawn >= sessions.length - 12;
  // The list's length is what tells that the last request has been answered.
  useEffect(() => {
    if (wantsMore) void page.sessionList.loadMore();
  }, [wantsMore, sessions.length]);

  const selected = sessions.some(({ key }) => key === conversation.target) ? conversation.target : undefined;
  const focusedIsDrawn = drawn.some(({ index }) => sessions[index]?.key === focused);
  const selectedIsDrawn = drawn.some(({ index }) => sessions[index]?.key === selected);
  const tabStop = focusedIsDrawn ? focused : selectedIsDrawn ? selected : sessions[drawn[0]?.index ?? 0]?.key;

  function moveFocus(event: KeyboardEvent): void {
    const from = sessions.findIndex(({ key }) => key === tabStop);
    const steps: Record<string, number> = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      Home: 0,
      End: sessions.length - 1,
    };
    const to = event.altKey || event.ctrlKey || event.metaKey ? undefined : steps[event.key];
    const session = to === undefined ? undefined : sessions[to];
    if (to === undefined || !session) return;
    event.preventDefault();
    setFocused(session.key);
    rows.scrollToIndex(to, { align: 'auto' });
    requestAnimationFrame(() => {
      scroller.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(session.key)}"]`)?.focus();
    });
  }

  if (sessions.length === 0) return <EmptyList list={list} />;
  const now = new Date();
  return (
    <nav class="session-nav" aria-label="Conversations">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between the links inside. */}
      <div class="session-scroller" ref={scroller} onKeyDown={moveFocus}>
        <ul class="session-list" style={{ height: `${rows.getTotalSize()}px` }}>
          {drawn.map(({ index, start, key }) => {
            const session = sessions[index];
            return (
              session && (
                <SessionRow
                  key={key}
                  session={session}
                  start={start}
                  selected={session.key === selected}
                  tabStop={session.key === tabStop}
                  now={now}
                  onFocus={() => setFocused(session.key)}
                  onNavigate={onNavigate}
                />
              )
            );
          })}
        </ul>
      </div>
    </nav>
  );
}

function EmptyList({ list }: { list: SessionList }) {
  const page = usePage();
  const { filter, phase } = list;
  if (phase === 'loading') return <p class="list-note">Loading conversations…</p>;
  if (phase === 'failed') {
    return (
      <div class="list-note">
        <p>The conversations could not be loaded.</p>
        <button type="button" class="button" onClick={() => void page.sessionList.refresh()}>
          Try again
        </button>
      </div>
    );
  }
  if (filter.q !== '' || filter.channel !== '') {
    return (
      <div class="list-note">
        <p>No conversation matches.</p>
        <button
          type="button"
          class="button"
          onClick={() => page.sessionList.filter({ ...filter, q: '', channel: '' })}
        >
          Clear the filter
        </button>
      </div>
    );
  }
  if (filter.view === 'deleted') return <p class="list-note">Nothing deleted.</p>;
  return <p class="list-note">No conversation yet. Write the first message, or connect a channel.</p>;
}
