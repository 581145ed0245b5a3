import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Row } from '../state/rows.js';
import { ConversationRow } from './conversation-row.js';
import { Icon } from './icon.js';
import { usePage } from './page-context.js';
import { useVirtualRows } from './virtual-rows.js';

/** Within this many pixels of the end one reads along: the list then follows what is added. */
const atEndPx = 48;

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
    followOnAppend: true,
    scrollEndThreshold: atEndPx,
  });
  useLayoutEffect(() => virtual.scrollToEnd(), [virtual]);

  // What one sends oneself is always shown.
  const lastOutgoing = rows.findLast((row) => row.kind === 'outgoing')?.key;
  useLayoutEffect(() => {
    if (lastOutgoing !== undefined) virtual.scrollToEnd();
  }, [virtual, lastOutgoing]);

  const atEnd = virtual.isAtEnd(atEndPx);
  useKeptEnd(scroller, atEnd, () => virtual.scrollToEnd());

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
            virtual.scrollToEnd();
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

/** Keeps the end in view when the room for the list changes: a growing draft, a phone's keyboard, a turned phone. */
function useKeptEnd(
  scroller: { readonly current: HTMLDivElement | null },
  atEnd: boolean,
  scrollToEnd: () => void,
): void {
  const latest = useRef({ atEnd, scrollToEnd });
  latest.current = { atEnd, scrollToEnd };
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (latest.current.atEnd) latest.current.scrollToEnd();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller]);
}
