import type { Case } from './case.js';
import { equal } from './claim.js';
import { conversation, said, say, seqs } from './conversation.js';
import { exported } from './snapshot.js';

export const clearing: readonly Case[] = [
  {
    promise: 'clear: removes all messages, segments and the summary; the session and its names stay',
    async show({ backend }) {
      await backend.ensure('a', { title: 'title', aliases: ['name'], attributes: { pinned: true } });
      await say(backend, 'a', 2);
      await backend.reset('a');
      await say(backend, 'a', 1);
      await backend.setSummary('a', 'so far');
      const meta = await backend.clear('a');
      equal(
        [
          meta.messageCount,
          meta.activeCount,
          meta.summary,
          meta.segments,
          meta.userTurns,
          meta.interactionAt,
        ],
        [0, 0, '', [], 0, undefined],
        'messageCount, activeCount, summary, segments, userTurns, interactionAt',
      );
      equal(
        [meta.title, meta.aliases, meta.attributes],
        ['title', ['name'], { pinned: true }],
        'title, aliases, attributes',
      );
      equal(await backend.meta('a'), meta, 'the record that is read');
      equal(await backend.read('a', { segment: 'all' }), [], 'the messages');
      equal(await backend.resolve('name'), 'a', 'where the name leads');
      equal((await exported(backend)).length, 1, 'the entries exported');
    },
  },
  {
    promise: 'clear: seqs go on where they were, and a cleared id may come again',
    async show(bench) {
      await conversation(bench.backend, 'a');
      await bench.backend.append('a', [said('one', { id: 'm' }), said('two')]);
      await bench.backend.clear('a');
      if (bench.capabilities.durable !== false) await bench.reopen();
      equal(await bench.backend.append('a', [said('one', { id: 'm' })]), [
        { id: 'm', seq: 3, appended: true },
      ]);
      equal(seqs(await bench.backend.read('a')), [3], 'the messages');
    },
  },
  {
    promise: 'clear: other sessions are not touched',
    async show({ backend }) {
      await conversation(backend, 'a', 1);
      await conversation(backend, 'b', 2);
      await backend.clear('a');
      equal(seqs(await backend.read('b')), [1, 2], 'the messages of the other');
    },
  },
];
