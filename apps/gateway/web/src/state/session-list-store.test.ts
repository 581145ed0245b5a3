import { expect, test } from 'vitest';
import type { Session, SessionPage } from '../api/shapes.js';
import { createSessionListStore } from './session-list-store.js';

test('an answer that is older than what was told meanwhile does not bring an ended turn back', async () => {
  const session = { key: 'k', title: null, channel: 'web', message_count: 1, updated_at: '', aliases: [] };
  const running = { ...session, turn: 'running' } as unknown as Session;
  let answer: (page: SessionPage) => void = () => {};
  const store = createSessionListStore({
    sessions: () =>
      new Promise((resolve) => {
        answer = resolve;
      }),
  });
  const refreshed = store.refresh();
  store.apply({ event: 'turn', session_key: 'k', turn_id: 't', state: 'done' });
  answer({ sessions: [running], next_cursor: null });
  await refreshed;
  expect(store.cell.get().sessions[0]?.turn).toBe('idle');
});
