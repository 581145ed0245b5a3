import { useEffect } from 'preact/hooks';
import type { PageStore } from '../state/page-store.js';
import { newestButtonId } from './message-list.js';
import { filterFieldId } from './sidebar.js';

/** The keys that work everywhere on the page; the shortcuts dialog lists them. */
export function useShortcuts(page: PageStore, actions: { onHelp: () => void; onFind: () => void }): void {
  const { onHelp, onFind } = actions;
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || document.querySelector('dialog[open]')) return;
      const command = event.ctrlKey || event.metaKey;
      if (event.key === 'Escape') stopAnswer(page);
      else if (event.key === '?' && !isTyping(event.target)) onHelp();
      else if (command && event.code === 'KeyK') {
        onFind();
        const focus = () => document.getElementById(filterFieldId)?.focus();
        focus();
        // In a closed drawer nothing takes the focus before it is drawn open.
        requestAnimationFrame(focus);
      } else if (event.altKey && event.code === 'KeyN') page.newChat();
      else if (event.altKey && event.key === 'ArrowUp') step(page, -1);
      else if (event.altKey && event.key === 'ArrowDown') step(page, 1);
      else if (event.altKey && event.key === 'End') document.getElementById(newestButtonId)?.click();
      else return;
      if (event.key !== 'Escape') event.preventDefault();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [page, onHelp, onFind]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;
}

function stopAnswer(page: PageStore): void {
  const { target, session } = page.conversation.cell.get();
  if (session?.turn === 'running' || page.liveTurns.get().has(target)) void page.stop(target);
}

function step(page: PageStore, by: number): void {
  const { sessions } = page.sessionList.cell.get();
  const { target } = page.conversation.cell.get();
  const from = sessions.findIndex(({ key }) => key === target);
  const next = sessions[from < 0 ? 0 : from + by];
  if (next && !next.deleted) page.openSession(next.key);
}
