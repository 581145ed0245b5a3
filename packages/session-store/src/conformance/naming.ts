import { InvalidKey } from '../errors.js';
import type { Case } from './case.js';
import { equal, refused } from './claim.js';
import { contents, conversation, said } from './conversation.js';
import { listed } from './snapshot.js';

/** Keys that a careless store takes for a path, for each other, or for something of its own. */
const hostile: readonly string[] = [
  'x'.repeat(1024),
  `${'x'.repeat(1023)}y`,
  '\u{1F600}'.repeat(512),
  'x'.repeat(255),
  'x'.repeat(256),
  `${'x'.repeat(400)}1`,
  `${'x'.repeat(400)}2`,
  '.',
  '..',
  '../../outside',
  '..\\outside',
  '/absolute',
  'C:\\x',
  '~',
  '%2e%2e%2f',
  'a:b',
  'a_b',
  'a/b',
  'a\\b',
  'a b',
  'a%3Ab',
  'Case',
  'case',
  'CASE',
  '\u00e9',
  'e\u0301',
  '\u00df',
  'ss',
  '\uFFFD',
  '\u{10FFFF}',
  ' ',
  'trailing ',
  'trailing',
  'trailing.',
  'new\nline',
  'tab\tstop',
  'bell\u0007',
  'next\u2028line',
  '\u202Eright to left',
  '__proto__',
  'constructor',
  'toString',
  'con',
  'NUL',
  'aux.txt',
  '-rf',
  '*',
  '?',
  '[a]',
  '$HOME',
  '`id`',
  "'; drop table sessions; --",
  '"',
  'null',
  'undefined',
  '0',
  'a.jsonl',
  'a.meta.json',
  'a',
  '.hidden',
  '.lock',
];

export const naming: readonly Case[] = [
  {
    promise: 'keys: any string is a key and no two share anything',
    async show(bench) {
      for (const [index, key] of hostile.entries()) {
        await bench.backend.ensure(key);
        await bench.backend.append(key, [said(`in ${index}`)]);
      }
      if (bench.capabilities.durable !== false) await bench.reopen();
      const { backend } = bench;
      for (const [index, key] of hostile.entries()) {
        const what = `the messages of ${JSON.stringify(key.slice(0, 40))}`;
        equal(contents(await backend.read(key)), [`in ${index}`], what);
        equal((await backend.meta(key))?.key, key, 'the key in the record');
        equal(await backend.resolve(key), key, 'where the key leads');
      }
      equal((await listed(backend)).map(({ key }) => key).sort(), [...hostile].sort(), 'the list');
    },
  },
  {
    promise: 'keys: what destroys one session leaves those of a like name alone',
    async show({ backend }) {
      const like = [
        'a:b',
        'a_b',
        'a/b',
        'Case',
        'case',
        '..',
        '*',
        'a',
        `${'x'.repeat(400)}1`,
        `${'x'.repeat(400)}2`,
      ];
      for (const key of like) await conversation(backend, key, 1);
      for (const [index, key] of like.entries()) {
        await backend.clear(key);
        await backend.delete(key);
        await backend.purge(key);
        for (const other of like.slice(index + 1)) {
          equal(contents(await backend.read(other)), ['word 1'], `the messages of "${other.slice(0, 40)}"`);
        }
      }
    },
  },
  {
    promise: 'keys: any string is an alias too',
    async show(bench) {
      const aliases = [
        '__proto__',
        'constructor',
        '../x',
        'a/b',
        'a:b',
        'a_b',
        'new\nline',
        '\u{1F600}',
        '*',
        'inner space',
        'x'.repeat(1024),
      ];
      const { refused: no } = await bench.backend.ensure('owner', { aliases });
      equal(no, [], 'what is refused');
      if (bench.capabilities.durable !== false) await bench.reopen();
      for (const alias of aliases) {
        equal(
          await bench.backend.resolve(alias),
          'owner',
          `where ${JSON.stringify(alias.slice(0, 40))} leads`,
        );
      }
      equal(await bench.backend.resolve('a-b'), undefined, 'where a name like it leads');
    },
  },
  {
    promise:
      'keys: what is empty, over 1,024 characters, no string, holds a NUL or half a character is refused with InvalidKey',
    async show({ backend }) {
      const bad = ['', 'x'.repeat(1025), 'a\0b', '\uD83D', 'x\uDE00', undefined, 7, null] as string[];
      for (const key of bad) {
        for (const call of [
          () => backend.ensure(key),
          () => backend.append(key, [said('x')]),
          () => backend.read(key),
          () => backend.meta(key),
          () => backend.resolve(key),
          () => backend.setSummary(key, 'x'),
          () => backend.delete(key),
          () => backend.purge(key),
          () => backend.lease(key, { holder: 'one', ttlMs: 1000 }),
        ]) {
          await refused(call, InvalidKey);
        }
      }
      await conversation(backend, 'a');
      for (const alias of ['x'.repeat(1025), 'a\0b', '\uD83D']) {
        await refused(() => backend.ensure('a', { aliases: [alias] }), InvalidKey);
        await refused(() => backend.promote('a', [alias]), InvalidKey);
      }
      equal((await backend.list()).sessions.length, 1, 'the number of sessions');
    },
  },
];
