import { useCallback, useEffect, useState } from 'preact/hooks';
import { useCell } from '../state/cell.js';
import type { PageStore } from '../state/page-store.js';
import { sessionName } from '../text/session-name.js';
import { composerFieldId } from './composer.js';
import { ConversationView } from './conversation-view.js';
import { PageContext } from './page-context.js';
import { useShortcuts } from './shortcuts.js';
import { ShortcutsDialog } from './shortcuts-dialog.js';
import { Sidebar } from './sidebar.js';
import { ToastBar } from './toast-bar.js';
import { TokenDialog } from './token-dialog.js';

const narrow = matchMedia('(max-width: 759px)');

/** The whole page: conversations on the left, the open one on the right; on a phone the left is a drawer. */
export function App({ page }: { page: PageStore }) {
  const tokenWanted = useCell(page.tokenWanted);
  const { session } = useCell(page.conversation.cell);
  const isNarrow = useMediaQuery(narrow);
  const [drawerIsOpen, setDrawerIsOpen] = useState(false);
  const [helpIsOpen, setHelpIsOpen] = useState(false);
  const openHelp = useCallback(() => setHelpIsOpen(true), []);
  const openDrawer = useCallback(() => setDrawerIsOpen(true), []);
  const closeDrawer = useCallback(() => setDrawerIsOpen(false), []);
  useShortcuts(page, { onHelp: openHelp, onFind: openDrawer });

  const drawerCovers = isNarrow && drawerIsOpen;
  useEffect(() => {
    if (!drawerCovers) return;
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      closeDrawer();
    };
    addEventListener('keydown', closeOnEscape, { capture: true });
    return () => removeEventListener('keydown', closeOnEscape, { capture: true });
  }, [drawerCovers, closeDrawer]);

  useEffect(() => {
    document.title = session ? `${sessionName(session)} · Holdfast` : 'Holdfast';
  }, [session]);

  return (
    <PageContext.Provider value={page}>
      <a
        class="skip-link"
        href={`#${composerFieldId}`}
        onClick={(event) => {
          event.preventDefault();
          document.getElementById(composerFieldId)?.focus();
        }}
      >
        Skip to the message field
      </a>
      <div class={drawerCovers ? 'page page-drawer-open' : 'page'}>
        <aside class="sidebar" aria-label="All conversations" inert={isNarrow && !drawerIsOpen}>
          <Sidebar onHelp={openHelp} onNavigate={closeDrawer} />
        </aside>
        {drawerCovers && (
          <button
            type="button"
            class="scrim"
            aria-label="Close the list of conversations"
            onClick={closeDrawer}
          />
        )}
        <main class="main" inert={drawerCovers}>
          <ConversationView onMenu={openDrawer} />
        </main>
      </div>
      <ToastBar />
      {helpIsOpen && <ShortcutsDialog onClose={() => setHelpIsOpen(false)} />}
      {tokenWanted && <TokenDialog onToken={page.giveToken} />}
    </PageContext.Provider>
  );
}

function useMediaQuery(query: MediaQueryList): boolean {
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const follow = () => setMatches(query.matches);
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [query]);
  return matches;
}
