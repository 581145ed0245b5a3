import type { ExportEntry, SessionBackend } from '../backend.js';
import { AliasConflict, InvalidMessage, StoreFailed } from '../errors.js';
import { createMemoryBackend } from '../memory-backend.js';
import { wholeMessage } from './appending.js';
import type { Case } from './case.js';
import { equal, refused } from './claim.js';
import { changesNothing, conversation, range, said, say } from './conversation.js';
import { exported, snapshot } from './snapshot.js';

/** Sessions in every state that there is. */
async function fill(backend: SessionBackend): Promise<void> {
  await backend.ensure('live', { aliases: ['name'], title: 'title', attributes: { pinned: true } });
  await backend.append('live', [wholeMessage, said('two'), said('three')]);
  await backend.reset('live', { reason: 'idle', summary: 'so far', keepLast: 1 });
  await conversation(backend, 'archived', 2);
  await backend.archive('archived');
  await conversation(backend, 'deleted', 2);
  await backend.delete('deleted');
  await conversation(backend, 'binned', 2);
  await backend.delete('binned');
  await backend.ensure('binned');
  await say(backend, 'binned', 1);
  await conversation(backend, 'compacted', 4);
  await backend.truncate('compacted', { keepLast: 1 });
  await backend.compact('compacted');
  await conversation(backend, 'empty');
  await conversation(backend, 'long', 600);
}

export const transferring: readonly Case[] = [
  {
    promise: 'export: every session, deleted ones too, ordered by key, each followed by all its messages',
    async show({ backend }) {
      await fill(backend);
      const entries = await exported(backend);
      const order = entries.flatMap((entry) => (entry.type === 'session' ? [entry.session.key] : []));
      equal(order, ['archived', 'binned', 'compacted', 'deleted', 'empty', 'live', 'long'], 'the sessions');
      const seqs = (key: string) =>
        entries.flatMap((entry) =>
          entry.type === 'message' && entry.key === key ? [entry.message.seq] : [],
        );
      equal(seqs('binned'), [1, 2, 3], 'the messages of a session with a bin');
      equal(seqs('deleted'), [1, 2], 'the messages of a deleted session');
      equal(seqs('compacted'), [4], 'the messages of a compacted session');
      equal(seqs('long'), range(1, 600), 'the messages of a long session');
      let current: string | undefined;
      for (const entry of entries) {
        if (entry.type === 'session') current = entry.session.key;
        else equal(entry.key, current, 'the session that a message follows');
      }
    },
  },
  {
    promise: 'export: keys are ordered by UTF-16 code unit, however many there are',
    async show({ backend }) {
      const keys = ['Z', 'a', 'é', '\uFFFD', '\u{1F600}', ...range(1, 205).map((number) => `s${number}`)];
      for (const key of keys) await conversation(backend, key);
      equal(
        (await exported(backend)).flatMap((entry) => (entry.type === 'session' ? [entry.session.key] : [])),
        [...keys].sort(),
      );
    },
  },
  {
    promise: 'import: a copy of a copy exports the same, and behaves the same',
    async show({ backend, another }) {
      await fill(backend);
      const between = createMemoryBackend();
      await between.import(backend.export());
      const back = (await another()).backend;
      const report = await back.import(between.export());
      equal(
        report,
        { sessions: 7, messages: 3 + 2 + 2 + 3 + 1 + 600, skippedMessages: 0, refused: [] },
        'the report',
      );
      equal(JSON.stringify(await exported(back)), JSON.stringify(await exported(backend)), 'the export');
      equal(await snapshot(back), await snapshot(backend), 'what can be seen');
      equal(
        await back.append('live', [{ ...wholeMessage, content: 'a retry' }]),
        [{ id: 'whole', seq: 1, appended: false }],
        'the answer to a retry in the copy',
      );
    },
  },
  {
    promise: 'import: what is there and equal is passed over, so that a broken run can be repeated',
    async show({ backend, another }) {
      await fill(backend);
      const entries = await exported(backend);
      const copy = (await another()).backend;
      async function* broken(): AsyncGenerator<ExportEntry> {
        yield* entries.slice(0, entries.length - 100);
        throw new Error('the line went dead');
      }
      let failed = false;
      try {
        await copy.import(broken());
      } catch {
        failed = true;
      }
      equal(failed, true, 'whether a broken run fails');
      await copy.import(entries);
      equal(await exported(copy), entries, 'the export after the second run');
      await changesNothing(copy, async () => {
        const again = await copy.import(entries);
        equal(
          [again.messages, again.skippedMessages],
          [0, 611],
          'messages and skippedMessages of a third run',
        );
      });
    },
  },
  {
    promise: 'import: a session that is there and differs is refused with AliasConflict and left as it is',
    async show({ backend, another }) {
      await conversation(backend, 'a', 2);
      const entries = await exported(backend);
      const other = (await another()).backend;
      await other.ensure('a');
      await other.append('a', [said('mine'), said('and mine'), said('and that')]);
      await changesNothing(other, () => refused(() => other.import(entries), AliasConflict, 'a'));
      await other.clear('a');
      const third = (await another()).backend;
      await third.ensure('a');
      await third.append('a', [said('mine'), said('and mine')]);
      await changesNothing(third, () => refused(() => third.import(entries), AliasConflict, 'a'));
      await backend.reset('a');
      await backend.compact('a');
      const emptied = await exported(backend);
      await changesNothing(third, () => refused(() => third.import(emptied), AliasConflict, 'a'));
    },
  },
  {
    promise: "import: an alias that is another session's is refused and reported",
    async show({ backend, another }) {
      await backend.ensure('a', { aliases: ['shared', 'own'] });
      const other = (await another()).backend;
      await other.ensure('b', { aliases: ['shared'] });
      const { refused: no } = await other.import(await exported(backend));
      equal(no, [{ key: 'a', alias: 'shared', owner: 'b', reason: 'taken' }], 'what is refused');
      equal(await other.resolve('shared'), 'b', 'where the name leads');
      equal(await other.resolve('own'), 'a', 'where the other name leads');
    },
  },
  {
    promise: 'import: a message that comes before its session is refused with InvalidMessage',
    async show({ backend, another }) {
      await conversation(backend, 'a', 1);
      const [, message] = await exported(backend);
      const other = (await another()).backend;
      await changesNothing(other, () =>
        refused(() => other.import(message === undefined ? [] : [message]), InvalidMessage, 'a'),
      );
    },
  },
  {
    promise:
      'export: a session that is rewritten while it is read ends the export, and never comes out mixed',
    async show({ backend }) {
      const rewrites: readonly ((key: string) => Promise<unknown>)[] = [
        (key) => backend.clear(key),
        (key) => backend.replace(key, [said('all')]),
        async (key) => {
          await backend.reset(key);
          await backend.compact(key);
        },
        async (key) => {
          await backend.delete(key);
          await backend.purge(key);
        },
      ];
      for (const [index, rewrite] of rewrites.entries()) {
        const key = `s${index}`;
        await conversation(backend, key, 600);
        await refused(() => exportWith(backend, () => rewrite(key)), StoreFailed, key);
        await backend.delete(key).catch(() => {});
        await backend.purge(key).catch(() => {});
      }
      await conversation(backend, 'z', 600);
      const entries = await exportWith(backend, () => say(backend, 'z', 300));
      equal(entries.length, 601, 'how many entries come, where only more was said');
    },
  },
];

/** An export in whose midst something happens. */
async function exportWith(backend: SessionBackend, act: () => Promise<unknown>) {
  const entries: ExportEntry[] = [];
  for await (const entry of backend.export()) {
    entries.push(entry);
    if (entries.length === 100) await act();
  }
  return entries;
}
