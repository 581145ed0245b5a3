import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionDetail } from '../api/shapes.js';
import { Icon } from './icon.js';
import { usePage } from './page-context.js';
import { RenameDialog } from './rename-dialog.js';

/** What can be done with a conversation. */
export function SessionMenu({ session }: { session: SessionDetail }) {
  const page = usePage();
  const [isOpen, setIsOpen] = useState(false);
  const [isRenaming, setIsRenaming] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);

  useLayoutEffect(() => {
    if (!isOpen) return;
    place.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !place.current?.contains(event.target)) setIsOpen(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);

  const actions: readonly { label: string; hint?: string; run: () => void; grave?: boolean }[] = [
    { label: 'Rename…', run: () => setIsRenaming(true) },
    {
      label: 'Reset',
      hint: 'The agent forgets, you do not',
      run: () => void page.reset(session.key),
    },
    session.archived
      ? { label: 'Unarchive', run: () => void page.unarchive(session) }
      : { label: 'Archive', run: () => void page.archive(session) },
    { label: 'Delete', run: () => void page.remove(session), grave: true },
  ];

  function moveFocus(event: KeyboardEvent): void {
    const entries = [...(place.current?.querySelectorAll<HTMLElement>('[role=menuitem]') ?? [])];
    const from = entries.findIndex((entry) => entry.matches(':focus'));
    const steps: Record<string, number> = {
      ArrowDown: (from + 1) % entries.length,
      ArrowUp: (from - 1 + entries.length) % entries.length,
      Home: 0,
      End: entries.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) {
      event.preventDefault();
      entries[to]?.focus();
    } else if (event.key === 'Escape') {
      event.stopPropagation();
      setIsOpen(false);
      button.current?.focus();
    } else if (event.key === 'Tab') setIsOpen(false);
  }

  return (
    <div class="menu-place" ref={place}>
      <button
        ref={button}
        type="button"
        class="icon-button"
        aria-label="Conversation menu"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
      >
        <Icon name="more" />
      </button>
      {isOpen && (
        <div class="menu" role="menu" tabIndex={-1} aria-label="Conversation" onKeyDown={moveFocus}>
          {actions.map(({ label, hint, run, grave }) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              class={grave ? 'menu-entry menu-entry-grave' : 'menu-entry'}
              onClick={() => {
                setIsOpen(false);
                button.current?.focus();
                run();
              }}
            >
              {label}
              {hint && <span class="menu-hint">{hint}</span>}
            </button>
          ))}
        </div>
      )}
      {isRenaming && (
        <RenameDialog
          session={session}
          onRename={(title) => void page.rename(session.key, title)}
          onClose={() => setIsRenaming(false)}
        />
      )}
    </div>
  );
}
