import type { Session } from '../api/shapes.js';
import { formatRoute } from '../state/route.js';
import { channelLabel } from '../text/channel-label.js';
import { plainPreview, sessionName, titleFrom } from '../text/session-name.js';
import { shortTime } from '../text/time.js';
import { channelIcon, Icon } from './icon.js';
import { usePage } from './page-context.js';

/** Pixels from one row to the next; the style sheet draws to it. */
export const sessionRowHeight = 62;

export function SessionRow(props: {
  session: Session;
  /** Pixels from the top of the list. */
  start: number;
  selected: boolean;
  tabStop: boolean;
  now: Date;
  onFocus: () => void;
  onNavigate: () => void;
}) {
  const { session, start, selected, tabStop, now, onFocus, onNavigate } = props;
  const page = usePage();
  const place = { transform: `translateY(${start}px)`, height: `${sessionRowHeight}px` };
  const words = (
    <>
      <span class="session-icon" title={channelLabel(session.channel)}>
        <Icon name={channelIcon(session.channel)} size={18} />
        <span class="hidden">{channelLabel(session.channel)}: </span>
      </span>
      <span class="session-words">
        <span class="session-title">{sessionName(session)}</span>
        <span class="session-second">
          <TurnMark turn={session.turn} />
          {secondLine(session)}
        </span>
      </span>
      <time class="session-time" dateTime={session.updated_at}>
        {shortTime(session.updated_at, now)}
      </time>
    </>
  );
  if (session.deleted) {
    return (
      <li class="session-row" style={place}>
        <div class="session-link session-link-deleted">
          {words}
          <button
            type="button"
            class="button button-small"
            tabIndex={tabStop ? 0 : -1}
            data-key={session.key}
            onFocus={onFocus}
            onClick={() => void page.restore(session)}
          >
            Restore
          </button>
        </div>
      </li>
    );
  }
  return (
    <li class="session-row" style={place}>
      <a
        class="session-link"
        href={formatRoute({ page: 'session', key: session.key })}
        aria-current={selected ? 'page' : undefined}
        tabIndex={tabStop ? 0 : -1}
        data-key={session.key}
        onFocus={onFocus}
        onClick={onNavigate}
      >
        {words}
      </a>
    </li>
  );
}

function secondLine(session: Session): string {
  if (session.turn === 'running') return 'Answering…';
  if (session.turn === 'interrupted') return 'Interrupted';
  const preview = plainPreview(session);
  if (preview !== '' && titleFrom(preview) !== sessionName(session)) return preview;
  if (session.archived) return 'Archived';
  if (session.message_count === 0) return 'Nothing said yet';
  return session.message_count === 1 ? '1 message' : `${session.message_count} messages`;
}

function TurnMark({ turn }: { turn: Session['turn'] }) {
  if (turn === 'idle') return null;
  return <span class={`turn-mark turn-${turn}`} />;
}
