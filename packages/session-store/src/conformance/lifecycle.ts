import type { SessionBackend } from '../backend.js';
import { SessionNotFound } from '../errors.js';
import type { Case } from './case.js';
import { equal, present, refused } from './claim.js';
import { changesNothing, contents, conversation, said, say, seqs, words } from './conversation.js';
import { exported, snapshot } from './snapshot.js';

async function keys(backend: SessionBackend): Promise<readonly string[]> {
  return (await backend.list()).sessions.map(({ key }) => key);
}

/** A session that was deleted with two messages and has been spoken to again. */
async function spokenToAgain(backend: SessionBackend): Promise<void> {
  await backend.ensure('a', { title: 'old', attributes: { old: true, both: 'old' } });
  await say(backend, 'a', 2);
  await backend.delete('a');
  await backend.ensure('a', { attributes: { both: 'new' } });
  await say(backend, 'a', 1);
}

export const lifecycle: readonly Case[] = [
  {
    promise:
      'rename: sets the title and nothing else; an empty one takes it away; the same again changes nothing',
    async show({ backend, elapse, now }) {
      await conversation(backend, 'a', 1);
      const before = present(await backend.meta('a'), 'the record');
      elapse(1000);
      const meta = await backend.rename('a', 'A title');
      equal(
        meta,
        { ...before, title: 'A title', updatedAt: now(), revision: before.revision + 1 },
        'the record',
      );
      elapse(1000);
      await changesNothing(backend, () => backend.rename('a', 'A title'));
      equal(await backend.meta('a'), meta, 'the record that is read');
      elapse(1000);
      await backend.rename('a', '');
      equal('title' in present(await backend.meta('a'), 'the record'), false, 'whether there is a title');
      elapse(1000);
      await changesNothing(backend, () => backend.rename('a', ''));
    },
  },
  {
    promise: 'archive: puts a session away without touching it, until it is unarchived; twice is once',
    async show({ backend, now, elapse }) {
      await conversation(backend, 'a', 2);
      const archived = await backend.archive('a');
      equal(archived.archivedAt, now(), 'archivedAt');
      equal(await keys(backend), [], 'the list');
      equal(contents(await backend.read('a')), words(1, 2), 'the messages');
      equal(await backend.resolve('a'), 'a', 'where the key leads');
      elapse(1000);
      await changesNothing(backend, () => backend.archive('a'));
      await backend.unarchive('a');
      equal('archivedAt' in present(await backend.meta('a'), 'the record'), false, 'whether it is archived');
      equal(await keys(backend), ['a'], 'the list afterwards');
      elapse(1000);
      await changesNothing(backend, () => backend.unarchive('a'));
    },
  },
  {
    promise: 'delete: hides the session everywhere but in the list of what is deleted',
    async show({ backend, now }) {
      await backend.ensure('a', { aliases: ['name'] });
      await say(backend, 'a', 2);
      await backend.delete('a');
      equal(await backend.meta('a'), undefined, 'the record');
      equal(await backend.read('a', { segment: 'all' }), [], 'the messages');
      equal([await backend.resolve('a'), await backend.resolve('name')], [undefined, undefined], 'its names');
      equal(await keys(backend), [], 'the list');
      const { sessions } = await backend.list({ deleted: true });
      equal(
        sessions.map(({ key, deletedAt, messageCount }) => [key, deletedAt, messageCount]),
        [['a', now(), 2]],
        'what is deleted',
      );
    },
  },
  {
    promise: 'delete: writes to a deleted or missing session are refused with SessionNotFound',
    async show({ backend }) {
      await conversation(backend, 'gone', 1);
      await backend.delete('gone');
      await changesNothing(backend, async () => {
        for (const key of ['gone', 'missing']) {
          for (const [, write] of writes) await refused(() => write(backend, key), SessionNotFound, key);
        }
      });
    },
  },
  {
    promise: 'restore: brings a deleted session back as it was',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['name'], title: 'title', attributes: { pinned: true } });
      await say(backend, 'a', 3);
      await backend.truncate('a', { keepLast: 2, summary: 'so far' });
      const before = await snapshot(backend);
      await backend.delete('a');
      const { revision, updatedAt, ...restored } = await backend.restore('a');
      const { revision: _old, updatedAt: _then, ...was } = present(before.sessions[0]?.meta, 'the record');
      equal(restored, was, 'the record');
      const after = await snapshot(backend);
      equal(after.names, before.names, 'its names');
      equal(after.sessions[0]?.all, before.sessions[0]?.all, 'the messages');
      equal(after.sessions[0]?.active, before.sessions[0]?.active, 'the active messages');
      equal([after.listed, after.deleted], [['a'], []], 'the lists');
    },
  },
  {
    promise: 'restore: what is not there is refused, what is not deleted stays as it is',
    async show({ backend, elapse }) {
      await refused(() => backend.restore('missing'), SessionNotFound, 'missing');
      await conversation(backend, 'a', 1);
      elapse(1000);
      await changesNothing(backend, () => backend.restore('a'));
    },
  },
  {
    promise: 'purge: destroys a deleted session with its messages and frees its names',
    async show({ backend }) {
      await backend.ensure('a', { aliases: ['name'] });
      await say(backend, 'a', 2);
      await conversation(backend, 'b', 1);
      await backend.delete('a');
      await backend.purge('a');
      equal(
        (await exported(backend)).map((entry) =>
          entry.type === 'session' ? entry.session.key : entry.message.seq,
        ),
        ['b', 1],
        'what is exported',
      );
      equal((await backend.list({ deleted: true })).sessions, [], 'what is deleted');
      await refused(() => backend.restore('a'), SessionNotFound, 'a');
      await refused(() => backend.purge('a'), SessionNotFound, 'a');
      const { meta, created } = await backend.ensure('a');
      equal(
        [created, meta.messageCount, meta.lastSeq, meta.aliases],
        [true, 0, 0, []],
        'a new session of that key',
      );
      equal(await backend.read('a', { segment: 'all' }), [], 'its messages');
    },
  },
  {
    promise: 'purge: what is not deleted is refused with SessionNotFound and stays',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      await changesNothing(backend, async () => {
        await refused(() => backend.purge('a'), SessionNotFound, 'a');
        await refused(() => backend.purge('missing'), SessionNotFound, 'missing');
      });
    },
  },
  {
    promise: 'bin: what was deleted of a session spoken to again stays hidden',
    async show({ backend }) {
      await spokenToAgain(backend);
      equal(seqs(await backend.read('a', { segment: 'all' })), [3], 'all messages');
      equal(
        seqs(await backend.read('a', { segment: 'all', order: 'desc', limit: 9 })),
        [3],
        'the newest messages',
      );
      const meta = present(await backend.meta('a'), 'the record');
      equal(
        [meta.messageCount, meta.activeCount, meta.bin?.count],
        [1, 1, 2],
        'messageCount, activeCount, the bin',
      );
      await backend.delete('a');
      await backend.ensure('a');
      equal((await backend.meta('a'))?.bin?.count, 3, 'the bin after a second time');
      equal(await backend.read('a', { segment: 'all' }), [], 'all messages after a second time');
    },
  },
  {
    promise: 'bin: restore gives it back as earlier segments, readable and not active',
    async show({ backend }) {
      await spokenToAgain(backend);
      await backend.reset('a', { reason: 'asked', keepLast: 1 });
      const meta = await backend.restore('a');
      equal(await backend.meta('a'), meta, 'the record that is read');
      equal(
        [meta.messageCount, meta.activeCount, meta.title, meta.attributes, meta.bin],
        [3, 1, 'old', { old: true, both: 'new' }, undefined],
        'messageCount, activeCount, title, attributes, bin',
      );
      equal(
        meta.segments.map(({ lastSeq, reason }) => [lastSeq, reason]),
        [
          [2, 'deleted'],
          [3, 'asked'],
        ],
        'the segments, oldest first',
      );
      equal(seqs(await backend.read('a')), [3], 'the active messages');
      equal(seqs(await backend.read('a', { segment: 'all' })), [1, 2, 3], 'all messages');
      equal((await backend.list({ deleted: true })).sessions, [], 'what is deleted');
    },
  },
  {
    promise: 'bin: purge destroys it and leaves the session',
    async show({ backend }) {
      await spokenToAgain(backend);
      await backend.purge('a');
      const meta = present(await backend.meta('a'), 'the record');
      equal([meta.messageCount, meta.bin, meta.lastSeq], [1, undefined, 3], 'messageCount, bin, lastSeq');
      equal(
        (await exported(backend)).flatMap((entry) => (entry.type === 'message' ? [entry.message.seq] : [])),
        [3],
        'the messages exported',
      );
      equal(seqs(await backend.append('a', [said('next')])), [4], 'the next seq');
      await refused(() => backend.purge('a'), SessionNotFound, 'a');
    },
  },
];

/** Every write to a session but `ensure`, `restore` and `purge`. */
export const writes: readonly (readonly [
  string,
  (backend: SessionBackend, key: string) => Promise<unknown>,
])[] = [
  ['append', (backend, key) => backend.append(key, [said('written')])],
  ['promote', (backend, key) => backend.promote(key, ['older'])],
  ['setSummary', (backend, key) => backend.setSummary(key, 'written')],
  ['replace', (backend, key) => backend.replace(key, [said('written')])],
  ['truncate', (backend, key) => backend.truncate(key, { keepLast: 1, summary: 'written' })],
  ['reset', (backend, key) => backend.reset(key, { summary: 'written' })],
  ['compact', (backend, key) => backend.compact(key)],
  ['clear', (backend, key) => backend.clear(key)],
  ['rename', (backend, key) => backend.rename(key, 'written')],
  ['archive', (backend, key) => backend.archive(key)],
  ['unarchive', (backend, key) => backend.unarchive(key)],
  ['delete', (backend, key) => backend.delete(key)],
];
