import { createMemoryBackend, type SessionBackend, StoreFailed, StoreLocked } from '@x/session-store';
import { describe, expect, it } from 'vitest';
import { openWithFallback } from './index.js';

const SESSIONS = ['a', 'b', 'c', 'd'];

interface Place {
  /** What the old store holds. */
  readonly old: SessionBackend;
  readonly calls: string[];
  sealed: boolean;
}

async function place(): Promise<Place> {
  const old = createMemoryBackend();
  for (const key of SESSIONS) {
    await old.ensure(key);
    await old.append(key, [{ role: 'user', content: `of ${key}` }]);
  }
  return { old, calls: [], sealed: false };
}

/** Says which call is to fail; `migrate:2` is the copying of the third session. */
function start(at: Place, fails: (call: string) => boolean, backend = createMemoryBackend()) {
  function step(call: string): void {
    at.calls.push(call);
    if (fails(call)) throw new StoreFailed(`${call} failed`);
  }
  return openWithFallback<SessionBackend>({
    async primary() {
      step('primary');
      return {
        ...backend,
        close() {
          at.calls.push('close');
          return backend.close();
        },
      };
    },
    async fallback() {
      step('fallback');
      return at.sealed ? undefined : at.old;
    },
    async migrate(store) {
      for (const [index, key] of SESSIONS.entries()) {
        step(`migrate:${index}`);
        await store.ensure(key);
        await store.append(key, await at.old.read(key));
      }
    },
    async seal() {
      step('seal');
      at.sealed = true;
    },
  });
}

const points = ['primary', ...SESSIONS.map((_, index) => `migrate:${index}`), 'seal'];

describe('a start with a new store', () => {
  it('opens it, with everything of the old one in it, and makes that final once', async () => {
    const at = await place();
    const { store, source, failure } = await start(at, () => false);
    expect([source, failure, at.sealed]).toEqual(['primary', undefined, true]);
    expect((await store.list()).sessions).toHaveLength(SESSIONS.length);
    expect(at.calls).toEqual(['primary', ...SESSIONS.map((_, index) => `migrate:${index}`), 'seal']);
  });

  it.each(points)('goes back as a whole where %s fails', async (point) => {
    const at = await place();
    const { store, source, failure } = await start(at, (call) => call === point);
    expect(source).toBe('fallback');
    expect(failure).toMatchObject({ message: `${point} failed` });
    expect(at.sealed).toBe(false);
    expect(store).toBe(at.old);
    for (const key of SESSIONS) expect(await store.read(key)).toMatchObject([{ content: `of ${key}` }]);
    // The new one is closed before the old one is opened.
    const closing = point === 'primary' ? [] : ['close'];
    expect(at.calls.slice(-1 - closing.length)).toEqual([...closing, 'fallback']);
  });

  it('tries again at the next start', async () => {
    const at = await place();
    await start(at, (call) => call === 'migrate:2');
    const { source, store } = await start(at, () => false);
    expect(source).toBe('primary');
    expect((await store.list()).sessions).toHaveLength(SESSIONS.length);
  });

  it.each(points)('has no way back after the seal: where %s fails then, it says so', async (point) => {
    const at = await place();
    await start(at, () => false);
    await expect(start(at, (call) => call === point)).rejects.toThrow(`${point} failed`);
  });

  it('does not go back because another process has the new store', async () => {
    const at = await place();
    const opening = openWithFallback({
      primary: () => Promise.reject(new StoreLocked('in use')),
      fallback: async () => at.old,
    });
    await expect(opening).rejects.toThrow(StoreLocked);
  });

  it('tells both failures where the old store fails too', async () => {
    const at = await place();
    const opening = start(at, (call) => call === 'primary' || call === 'fallback');
    await expect(opening).rejects.toThrow('primary failed And the older store fails too: fallback failed');
    await expect(opening).rejects.toMatchObject({ errors: [{}, {}], cause: { message: 'primary failed' } });
  });

  it('needs neither migration nor seal', async () => {
    const store = createMemoryBackend();
    const opened = await openWithFallback({ primary: async () => store, fallback: async () => undefined });
    expect(opened).toEqual({ store, source: 'primary' });
  });
});
