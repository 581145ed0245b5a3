import { useRef } from 'preact/hooks';
import { useCell } from '../state/cell.js';
import type { SessionView } from '../state/session-list.js';
import { channelLabel } from '../text/channel-label.js';
import { Icon } from './icon.js';
import { usePage } from './page-context.js';
import { SessionRows } from './session-rows.js';
import { ThemeButton } from './theme-button.js';

export const filterFieldId = 'session-filter';

/** All conversations of all channels, with the way to a new one. */
export function Sidebar({ onHelp, onNavigate }: { onHelp: () => void; onNavigate: () => void }) {
  const page = usePage();
  const list = useCell(page.sessionList.cell);
  const { filter } = list;
  const rows = useRef<HTMLDivElement>(null);
  return (
    <div class="sidebar-body">
      <div class="sidebar-head">
        <span class="brand">
          <img src="favicon.svg" alt="" width="26" height="26" />
          Holdfast
        </span>
        <ThemeButton />
        <button
          type="button"
          class="icon-button"
          aria-label="Keyboard shortcuts"
          title="Keyboard shortcuts (?)"
          onClick={onHelp}
        >
          <Icon name="help" />
        </button>
      </div>
      <button
        type="button"
        class="button button-primary new-chat"
        onClick={() => {
          page.newChat();
          onNavigate();
        }}
      >
        <Icon name="plus" size={18} />
        New chat
      </button>
      <search class="filters">
        <label class="search-field">
          <Icon name="search" size={16} />
          <input
            id={filterFieldId}
            type="search"
            placeholder="Find a conversation"
            aria-label="Find a conversation"
            value={filter.q}
            onInput={(event) => page.sessionList.filter({ ...filter, q: event.currentTarget.value })}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && filter.q !== '') {
                event.stopPropagation();
                page.sessionList.filter({ ...filter, q: '' });
              } else if (event.key === 'ArrowDown') {
                event.preventDefault();
                rows.current?.querySelector<HTMLElement>('.session-row [tabindex="0"]')?.focus();
              }
            }}
          />
        </label>
        <div class="filter-row">
          <select
            aria-label="Channel"
            value={filter.channel}
            onChange={(event) => page.sessionList.filter({ ...filter, channel: event.currentTarget.value })}
          >
            <option value="">All channels</option>
            {list.channels.map((channel) => (
              <option key={channel} value={channel}>
                {channelLabel(channel)}
              </option>
            ))}
          </select>
          <select
            aria-label="Show"
            value={filter.view}
            onChange={(event) =>
              page.sessionList.filter({ ...filter, view: event.currentTarget.value as SessionView })
            }
          >
            <option value="current">Current</option>
            <option value="archived">With archived</option>
            <option value="deleted">Deleted</option>
          </select>
        </div>
      </search>
      <div class="session-place" ref={rows}>
        <SessionRows list={list} onNavigate={onNavigate} />
      </div>
    </div>
  );
}
