import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SessionBackend } from './backend.js';
import { defineBackend } from './define-backend.js';
import { InvalidKey, InvalidMessage, StoreClosed, StoreFailed } from './errors.js';
import { createMemoryBackend } from './memory-backend.js';
import { createMemoryDriver } from './memory-driver.js';
import type { Message, StoredMessage } from './message.js';
import { createSessionStore, type FailedWrite } from './session-store.js';

const contents = (messages: readonly StoredMessage[]) => messages.map(({ content }) => content);

/** A backend on which every transaction first asks `accident`, which may throw. */
function accidentProne(accident: (keys: readonly string[]) => void): SessionBackend {
  const memory = createMemoryDriver();
  return defineBackend({
    ...memory,
    async transact(need, decide) {
      accident(need.keys);
      await memory.transact(need, decide);
    },
  });
}

describe('a session store', () => {
  it('gives a read every write that was asked for before it', async () => {
    const store = createSessionStore(createMemoryBackend());
    store.addMessage('a', 'user', 'one');
    const first = store.getHistory('a');
    store.addFullMessage('a', { role: 'assistant', content: 'two', id: 'two' });
    store.setSummary('a', 'so far');
    const summary = store.getSummary('a');
    store.setSummary('a', 'later');
    expect(contents(await first)).toEqual(['one']);
    expect(await summary).toBe('so far');
    expect(contents(await store.getHistory('a'))).toEqual(['one', 'two']);
    expect(await store.getSummary('a')).toBe('later');
    await store.close();
  });

  it('reads a session that is not there as empty, and creates none by it', async () => {
    const store = createSessionStore(createMemoryBackend());
    expect(await store.getHistory('nobody')).toEqual([]);
    expect(await store.getSummary('nobody')).toBe('');
    store.truncateHistory('nobody', 2);
    store.save('nobody');
    await store.flush();
    expect(await store.listSessions()).toEqual([]);
  });

  it('sets, truncates and saves a history', async () => {
    const backend = createMemoryBackend();
    const store = createSessionStore(backend);
    store.setHistory(
      'a',
      ['one', 'two', 'three'].map((content) => ({ role: 'user' as const, content })),
    );
    store.truncateHistory('a', 2);
    expect(contents(await store.getHistory('a'))).toEqual(['two', 'three']);
    store.truncateHistory('a', -1);
    store.save('a');
    expect(await store.getHistory('a')).toEqual([]);
    expect(await backend.read('a', { segment: 'all' })).toEqual([]);
    store.setHistory('a', [{ role: 'user', content: 'again' }]);
    expect(contents(await store.getHistory('a'))).toEqual(['again']);
  });

  it('writes and reads under any name of a session, in the order of the calls', async () => {
    const backend = createMemoryBackend();
    await backend.ensure('key', { aliases: ['agent:main:direct:ann'] });
    const store = createSessionStore(backend);
    store.addMessage('agent:main:direct:Ann', 'user', 'one');
    store.addMessage('key', 'user', 'two');
    store.addMessage('KEY', 'user', 'three');
    store.addMessage('agent:main:direct:ann', 'user', 'four');
    expect(contents(await store.getHistory('key'))).toEqual(['one', 'two', 'three', 'four']);
    expect(await store.listSessions()).toEqual(['key']);
  });

  it('creates a session by the first write, for the agent and channel it was given', async () => {
    const backend = createMemoryBackend();
    const store = createSessionStore(backend, { agentId: 'sales', channel: 'web' });
    store.setSummary('new', 'so far');
    await store.flush();
    expect(await backend.meta('new')).toMatchObject({ agentId: 'sales', channel: 'web', summary: 'so far' });
  });

  it('never throws: failures go to onError and the logger, and flush rejects with all of them, once', async () => {
    const told: FailedWrite[] = [];
    const logged: string[] = [];
    const store = createSessionStore(createMemoryBackend(), {
      onError: (_error, write) => {
        told.push(write);
        throw new Error('the listener broke');
      },
      logger: { error: (_details, message) => logged.push(message) },
    });
    store.addMessage('', 'user', 'nameless');
    store.addMessage('a', 'narrator' as 'user', 'x');
    store.addFullMessage('a', { role: 'user', content: 'x', meta: { call: () => {} } } as unknown as Message);
    store.setHistory('a', 'nonsense' as unknown as Message[]);
    store.addMessage('a', 'user', 'good');
    const error = await store.flush().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AggregateError);
    const { errors } = error as AggregateError;
    expect(errors.map((each: Error) => each.constructor)).toEqual(
      expect.arrayContaining([InvalidKey, InvalidMessage, InvalidMessage, InvalidMessage]),
    );
    expect(told.map(({ operation }) => operation).sort()).toEqual([
      'addFullMessage',
      'addMessage',
      'addMessage',
      'setHistory',
    ]);
    expect(logged).toContain('addMessage of session "" was not stored');
    expect(logged).toContain('onError threw');
    await store.flush();
    expect(contents(await store.getHistory('a'))).toEqual(['good']);
  });

  it('goes on after a write that failed', async () => {
    let broken = false;
    const store = createSessionStore(
      accidentProne(() => {
        if (broken) throw new Error('the disk fell off');
      }),
    );
    store.addMessage('a', 'user', 'one');
    await store.flush();
    broken = true;
    store.addMessage('a', 'user', 'lost');
    await expect(store.flush()).rejects.toMatchObject({ errors: [expect.any(StoreFailed)] });
    broken = false;
    store.addMessage('a', 'user', 'two');
    expect(contents(await store.getHistory('a'))).toEqual(['one', 'two']);
    await store.flush();
  });

  it('keeps what the messages were when they were given', async () => {
    const store = createSessionStore(createMemoryBackend());
    const message = { role: 'user' as const, content: [{ type: 'text', text: 'as given' }] };
    store.addFullMessage('a', message);
    message.content.push({ type: 'text', text: 'later' });
    expect(contents(await store.getHistory('a'))).toEqual([[{ type: 'text', text: 'as given' }]]);
  });

  it('tells how many writes wait, and keeps no more than 100 failures', async () => {
    const store = createSessionStore(
      accidentProne(() => {
        throw new Error('the disk fell off');
      }),
    );
    for (let number = 0; number < 150; number += 1) store.addMessage('a', 'user', 'x');
    expect(store.pending).toBe(150);
    const error = await store.flush().catch((thrown: unknown) => thrown);
    expect((error as AggregateError).errors).toHaveLength(100);
    expect((error as AggregateError).message).toMatch(/^150 writes were not stored, of which the first 100/);
    expect(store.pending).toBe(0);
  });

  it('closes after the writes, rejects with what failed, and refuses what comes later', async () => {
    const backend = createMemoryBackend();
    const failures: Error[] = [];
    const store = createSessionStore(backend, { onError: (error) => failures.push(error) });
    store.addMessage('a', 'narrator' as 'user', 'x');
    store.addMessage('a', 'user', 'one');
    const closed = store.close();
    await expect(closed).rejects.toBeInstanceOf(AggregateError);
    await expect(backend.meta('a')).rejects.toBeInstanceOf(StoreClosed);
    expect(store.close()).toBe(closed);
    store.addMessage('a', 'user', 'late');
    await expect(store.flush()).rejects.toMatchObject({ errors: [expect.any(StoreClosed)] });
    await expect(store.getHistory('a')).rejects.toBeInstanceOf(StoreClosed);
    expect(failures).toHaveLength(2);
  });

  it('does not let a session that waits for the store hold up another', async () => {
    let letGo = () => {};
    const door = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const memory = createMemoryDriver();
    let slow = false;
    const store = createSessionStore(
      defineBackend({
        ...memory,
        async transact(need, decide) {
          if (slow && need.keys[0] === 'slow') await door;
          await memory.transact(need, decide);
        },
      }),
    );
    store.addMessage('slow', 'user', 'one');
    await store.flush();
    slow = true;
    store.addMessage('slow', 'user', 'two');
    store.addMessage('quick', 'user', 'one');
    expect(contents(await store.getHistory('quick'))).toEqual(['one']);
    letGo();
    expect(contents(await store.getHistory('slow'))).toEqual(['one', 'two']);
  });

  it('applies the writes of any program as if each had waited for the one before', async () => {
    const write = fc.record({
      name: fc.constantFrom('a', 'A', 'b', 'alias'),
      act: fc.constantFrom('add', 'set', 'truncate', 'save', 'summary'),
      text: fc.string({ minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 25 }), async (program) => {
        const outcomes = [];
        for (const patient of [true, false]) {
          const backend = createMemoryBackend();
          await backend.ensure('b', { aliases: ['alias'] });
          const store = createSessionStore(backend);
          for (const { name, act, text } of program) {
            if (act === 'add') store.addMessage(name, 'user', text);
            if (act === 'set') store.setHistory(name, [{ role: 'user', content: text }]);
            if (act === 'truncate') store.truncateHistory(name, text.length);
            if (act === 'save') store.save(name);
            if (act === 'summary') store.setSummary(name, text);
            if (patient) await store.flush();
          }
          await store.flush();
          const keys = [...(await store.listSessions())].sort();
          outcomes.push(
            await Promise.all(
              keys.map(async (key) => [
                key,
                contents(await store.getHistory(key)),
                await store.getSummary(key),
              ]),
            ),
          );
        }
        expect(outcomes[1]).toEqual(outcomes[0]);
      }),
      { numRuns: 100 },
    );
  });
});
