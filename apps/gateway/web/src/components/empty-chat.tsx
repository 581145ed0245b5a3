import type { Conversation } from '../state/conversation.js';
import { usePage } from './page-context.js';

const suggestions = ['What time is it?', 'Remember that my sister arrives on Friday', 'What can you do?'];

/** What is shown before anything was said: where one is, and what to do. */
export function EmptyChat({ phase, error }: { phase: Conversation['phase']; error: string | undefined }) {
  const page = usePage();
  if (phase === 'loading') {
    return (
      <div class="loading" role="status">
        Loading…
      </div>
    );
  }
  if (phase === 'failed') {
    return (
      <div class="empty">
        <h2>This conversation could not be loaded</h2>
        <p>{error}</p>
        <button type="button" class="button" onClick={() => void page.conversation.catchUp()}>
          Try again
        </button>
      </div>
    );
  }
  return (
    <div class="empty">
      <h2>{phase === 'new' ? 'What is on your mind?' : 'Nothing said here yet'}</h2>
      <p>Everything you write is kept before it is answered. Close this page, come back, and go on.</p>
      <div class="suggestions">
        {suggestions.map((suggestion) => (
          <button key={suggestion} type="button" class="suggestion" onClick={() => page.send(suggestion)}>
            {suggestion}
          </button>
        ))}
      </div>
    </div>
  );
}
