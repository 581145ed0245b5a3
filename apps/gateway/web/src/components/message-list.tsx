import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../state/rows.js';
import { ConversationRow } from './conversation-row.js';
import { atEndPx, useEndPin } from './end-pin.js';
import { Icon } from './icon.js';
import { usePage } from './page-context.js';
import { useVirtualRows } from './virtual-rows.js';

/** A first guess at a row's height; the real one is measured as soon as it is drawn. */
const guesses: Record<Row['kind'], number> = { message: 110, outgoing: 72, live: 96, note: 64 };

export const newestButtonId = 'jump-to-newest';

/**
 * The rows of the conversation. Only those in view are drawn; it stays at the end while one is there, and stays put
 * while one reads further up, whatever is added above or below.
 */
export function MessageList(props: {
  rows: readonly Row[];
  channel: string;
  running: boolean;
  hasOlder: boolean;
  loadingOlder: boolean;
}) {
  const { rows, channel, running, hasOlder, loadingOlder } = props;
  const page = usePage();
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualRows({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => guesses[rows[index]?.kind ?? 'message'],
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 6,
    paddingStart: 40,
    paddingEnd: 24,
    anchorTo: 'end',
    scrollEndThreshold: atEndPx,
  });
  const pinToEnd = useEndPin(scroller);
  useLayoutEffect(() => virtual.scrollToEnd(), [virtual]);

  // What one sends oneself is always shown.
  const lastOutgoing = rows.findLast((row) => row.kind === 'outgoing')?.key;
  useLayoutEffect(() => {
    if (lastOutgoing !== undefined) pinToEnd();
  }, [lastOutgoing]);

  const atEnd = virtual.isAtEnd(atEndPx);
  const drawn = virtual.getVirtualItems();
  const nearTop = (drawn[0]?.index ?? 0) < 8;
  const oldest = rows[0]?.key;
  // Each page that arrives asks the question anew.
  useEffect(() => {
    if (nearTop && hasOlder && !loadingOlder) void page.conversation.loadOlder();
  }, [nearTop, hasOlder, loadingOlder, oldest]);

  return (
    <>
      {loadingOlder && <div class="older-note">Loading earlier messages…</div>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by the keyboard. */}
      <section class="message-scroller" ref={scroller} aria-label="Messages" tabIndex={0}>
        <div class="message-sizer" style={{ height: `${virtual.getTotalSize()}px` }}>
          <div class="message-window" style={{ transform: `translateY(${drawn[0]?.start ?? 0}px)` }}>
            {drawn.map(({ index, key }) => {
              const row = rows[index];
              return (
                row && (
                  <div class="row" key={key} data-index={index} ref={virtual.measureElement}>
                    <ConversationRow row={row} channel={channel} running={running} />
                  </div>
                )
              );
            })}
          </div>
        </div>
      </section>
      {!atEnd && (
        <button
          type="button"
          id={newestButtonId}
          class="newest-button"
          onClick={() => {
            pinToEnd();
            scroller.current?.focus({ preventScroll: true });
          }}
        >
          <Icon name="down" size={16} />
          Jump to newest
        </button>
      )}
    </>
  );
}
