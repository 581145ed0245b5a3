import { useEffect, useState } from 'preact/hooks';
import { useCell } from '../state/cell.js';
import { usePage } from './page-context.js';

const backShownMs = 3_000;

/** Says when the connection is lost, and briefly when it is back. It floats, so that nothing moves. */
export function ConnectionPill() {
  const page = usePage();
  const state = useCell(page.connection);
  const [wasLost, setWasLost] = useState(false);
  useEffect(() => {
    if (state === 'lost') setWasLost(true);
    if (state !== 'open' || !wasLost) return;
    const timer = setTimeout(() => setWasLost(false), backShownMs);
    return () => clearTimeout(timer);
  }, [state, wasLost]);
  return (
    <div class="pill-place" role="status">
      {state === 'lost' && (
        <div class="pill pill-lost">
          <span class="pill-dot" />
          Connection lost. Trying again…
          <button type="button" class="link-button" onClick={page.retryConnection}>
            Try now
          </button>
        </div>
      )}
      {state === 'open' && wasLost && (
        <div class="pill pill-back">
          <span class="pill-dot" />
          Connected again
        </div>
      )}
    </div>
  );
}
