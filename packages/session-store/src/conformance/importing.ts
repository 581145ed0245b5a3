import { AssertionError } from 'node:assert';
import type { ExportEntry, SessionBackend } from '../backend.js';
import { AliasConflict, InvalidMessage } from '../errors.js';
import { wholeMessage } from './appending.js';
import type { Case } from './case.js';
import { equal, refused } from './claim.js';
import { changesNothing, conversation, said, say } from './conversation.js';
import { exported } from './snapshot.js';

/** Imports into a store that is in use, and of what no store wrote. */
export const importing: readonly Case[] = [
  {
    promise: 'import: a session that was changed since is refused with AliasConflict and not put back',
    async show({ backend, another }) {
      await backend.ensure('a', { title: 'title' });
      await say(backend, 'a', 3);
      const entries = await exported(backend);
      const changes: readonly ((other: SessionBackend) => Promise<unknown>)[] = [
        (other) => other.reset('a'),
        (other) => other.truncate('a', { keepLast: 1 }),
        (other) => other.rename('a', 'another'),
        (other) => other.archive('a'),
        (other) => other.delete('a'),
        (other) => other.clear('a'),
      ];
      for (const change of changes) {
        const other = (await another()).backend;
        await other.import(entries);
        await change(other);
        await changesNothing(other, () => refused(() => other.import(entries), AliasConflict, 'a'));
      }
    },
  },
  {
    promise: 'import: a later copy brings what was said since',
    async show({ backend, another }) {
      await backend.ensure('a', { aliases: ['name'] });
      await say(backend, 'a', 300);
      const copy = (await another()).backend;
      await copy.import(backend.export());
      await say(backend, 'a', 300);
      await backend.reset('a', { summary: 'so far' });
      const report = await copy.import(backend.export());
      equal([report.messages, report.skippedMessages], [300, 300], 'messages and skippedMessages');
      equal(await exported(copy), await exported(backend), 'the export');
    },
  },
  {
    promise: 'import: what is said in a session meanwhile is not written over',
    async show({ backend, another }) {
      await conversation(backend, 'a', 600);
      const entries = await exported(backend);
      for (const place of [1, 300, entries.length - 1]) {
        const other = (await another()).backend;
        let mine: readonly string[] = [];
        async function* meanwhile() {
          yield* entries.slice(0, place);
          await other.ensure('a');
          await other.append('a', [said('mine', { id: 'mine' })]);
          mine = (await other.read('a')).map(({ id }) => id);
          yield* entries.slice(place);
        }
        await refused(() => other.import(meanwhile()), AliasConflict, 'a');
        equal(
          (await other.read('a')).map(({ id }) => id),
          mine,
          `the messages, spoken to at ${place}`,
        );
      }
    },
  },
  {
    promise:
      'import: what no export gives is refused with InvalidMessage, and nothing of a short session is stored',
    async show({ backend, another }) {
      await conversation(backend, 'a', 3);
      const entries = await exported(backend);
      const other = (await another()).backend;
      await changesNothing(other, async () => {
        for (const [what, spoil] of spoilers) {
          const spoilt = structuredClone(entries) as unknown as Spoilable[];
          const wrong = spoil(spoilt);
          await refused(() => other.import(wrong as unknown as readonly ExportEntry[]), InvalidMessage).catch(
            (broken) => {
              throw new AssertionError({ message: `${what}: ${broken.message}` });
            },
          );
        }
      });
    },
  },
  {
    promise: 'import: what the caller does to an entry afterwards does not reach the store',
    async show({ backend, another }) {
      await backend.ensure('a', { attributes: { n: { m: 1 } } });
      await backend.append('a', [wholeMessage]);
      const entries = await exported(backend);
      const given = structuredClone(entries) as unknown as Spoilable[];
      const other = (await another()).backend;
      await other.import(given as unknown as readonly ExportEntry[]);
      const [session, message] = given;
      if (session?.session !== undefined) session.session.attributes = { n: 2 };
      if (message?.message?.meta !== undefined) message.message.meta.origin = 'changed';
      equal(await exported(other), entries, 'the export');
    },
  },
];

/** An entry with the types taken off. */
interface Spoilable {
  type?: unknown;
  session?: { [name: string]: unknown };
  message?: { [name: string]: unknown; meta?: { [name: string]: unknown } };
}

const ofSession = (members: object) => (entries: Spoilable[]) => {
  Object.assign(entries[0]?.session ?? {}, members);
  return entries;
};
const ofSecond = (members: object) => (entries: Spoilable[]) => {
  Object.assign(entries[2]?.message ?? {}, members);
  return entries;
};

/** What a session of three messages is made into. */
const spoilers: readonly (readonly [string, (entries: Spoilable[]) => unknown[]])[] = [
  ['no entry', () => [null]],
  ['a text', () => ['session']],
  ['a type of its own', () => [{ type: 'other' }]],
  ['no session', () => [{ type: 'session' }]],
  ['no aliases', ofSession({ aliases: undefined })],
  ['a count that is none', ofSession({ messageCount: Number.NaN })],
  ['a time that is none', ofSession({ activeAt: 'yesterday' })],
  ['attributes that JSON has not', ofSession({ attributes: { run: () => 1 } })],
  ['too high a count', ofSession({ messageCount: 4 })],
  ['too low a count', ofSession({ messageCount: 2, activeCount: 2 })],
  ['a wrong active count', ofSession({ activeCount: 1 })],
  ['a cutoff behind the end', ofSession({ cutoff: 9 })],
  ['a seq behind the last', ofSession({ lastSeq: 2 })],
  ['a message too few', (entries) => entries.slice(0, -1)],
  ['a message twice', (entries) => [...entries, entries[3]]],
  ['a seq twice', ofSecond({ seq: 1 })],
  ['seq 0', ofSecond({ seq: 0 })],
  ['a seq that is no number', ofSecond({ seq: '2' })],
  ['seqs out of order', ([session, one, two, three]) => [session, two, one, three]],
  ['no id', ofSecond({ id: undefined })],
  ['an id twice', (entries) => ofSecond({ id: entries[1]?.message?.id })(entries)],
  ['no message', (entries) => entries.map(({ message: _lost, ...entry }) => entry)],
  ['a role of its own', ofSecond({ role: 'robot' })],
];
