import { createMemoryBackend, type Message } from '@x/session-store';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { finish, type ScriptedAnswer, scriptedModel, words } from '../test/scripted-model.js';
import { agentWith, createMemoryJournal, createStage, killable } from '../test/stage.js';
import { defineTool, turnState } from './index.js';

const call = fc.record({
  id: fc.constantFrom('c', 'c', 'c:1', '', ' ', '日本'),
  name: fc.constantFrom('look', 'look', 'break', '', 'no such'),
  arguments: fc.constantFrom('{}', '', '{"a":', '[]', '{"x":"\ud83d"}'),
});
const text = fc.constantFrom('', ' ', 'yes', 'half \ud83d');
const answer: fc.Arbitrary<ScriptedAnswer> = fc.oneof(
  text,
  fc.record({ text, calls: fc.array(call, { minLength: 1, maxLength: 4 }) }),
  fc.constant({ refuse: new Error('down') }),
  text.map(
    (said) =>
      async function* () {
        yield* words(said);
        yield finish('error');
      },
  ),
);
const stray: fc.Arbitrary<Message> = fc.constantFrom<Message>(
  { role: 'tool', content: 'lost', toolCallId: 'c' },
  { role: 'assistant', content: '', toolCalls: [{ id: 'c', name: 'look', arguments: '{}' }] },
  { role: 'assistant', content: 'out of nowhere' },
  { role: 'assistant', content: '', reasoning: 'hm' },
  { role: 'system', content: 'be good' },
  { role: 'user', content: '' },
);
const deed = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      answers: fc.array(answer, { minLength: 1, maxLength: 4 }),
    }),
  },
  fc.record({ do: fc.constant('truncate' as const), keepLast: fc.nat(6) }),
  fc.record({ do: fc.constant('store' as const), messages: fc.array(stray, { minLength: 1, maxLength: 3 }) }),
  fc.constant({ do: 'reset' as const }),
  fc.constant({ do: 'compact' as const }),
  fc.record({
    do: fc.constant('replace' as const),
    from: fc.nat(8),
    messages: fc.array(stray, { maxLength: 3 }),
  }),
  fc.record({ do: fc.constant('join' as const), message: stray }),
  fc.constant({ do: 'die' as const }),
);

/** So small that most sessions are summarised and shortened on the way. */
const context = { summariseAtMessages: 5, keepMessages: 2 };

/*
 * Whatever a model answers, whatever is cut away, imported or lost with a process: no request is one that a strict
 * provider refuses, no turn hangs or rejects, and each leaves a history that shows its end.
 */
it('a session can always go on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(deed, { minLength: 1, maxLength: 8 }), async (deeds) => {
      const backend = createMemoryBackend();
      const journal = createMemoryJournal();
      let { say, runtime } = createStage({ backend, journal, createId: () => crypto.randomUUID() });
      const tools = ['look', 'break'].map((name) =>
        defineTool({
          name,
          description: name,
          inputSchema: z.looseObject({}),
          execute: async () => (name === 'look' ? '' : Promise.reject(new Error('broken'))),
        }),
      );
      await backend.ensure('s1');
      for (const each of deeds) {
        if (each.do === 'truncate') await backend.truncate('s1', { keepLast: each.keepLast });
        if (each.do === 'store') await backend.append('s1', each.messages);
        if (each.do === 'reset') await backend.reset('s1');
        if (each.do === 'compact') await backend.compact('s1');
        if (each.do === 'replace') {
          const kept = (await backend.read('s1')).slice(each.from);
          await backend.replace('s1', [...kept, ...each.messages]);
        }
        if (each.do === 'join') {
          const model = scriptedModel(['Done.']);
          const [turn] = await Promise.all([
            say(agentWith(model, { tools, context }), 'newest question'),
            backend.append('s1', [each.message]),
          ]);
          expect((await turn.outcome).status).toBe('done');
          expect(model.illegal).toEqual([]);
        }
        if (each.do === 'say') {
          const model = scriptedModel(each.answers);
          const turn = await say(agentWith(model, { tools, maxSteps: 5, context }), 'newest question');
          const { status } = await turn.outcome;
          expect(model.illegal).toEqual([]);
          expect(['done', 'failed']).toContain(status);
          expect(turnState(await backend.read('s1'))).toBe(status);
        }
        if (each.do === 'die') {
          const life = killable(backend);
          const dying = createStage({ backend: life.backend, journal, createId: () => crypto.randomUUID() });
          const look = defineTool({
            name: 'look',
            description: 'look',
            inputSchema: z.looseObject({}),
            execute: () => new Promise<string>(() => {}),
          });
          const model = scriptedModel([{ text: 'Let me see.', calls: [{ id: 'c', name: 'look' }] }]);
          const turn = await dying.say(agentWith(model, { tools: [look] }), 'last question');
          for await (const event of turn.events) if (event.type === 'tool') break;
          life.kill();
          turn.stop('end of the test');
          expect(model.illegal).toEqual([]);
          ({ say, runtime } = createStage({ backend, journal, createId: () => crypto.randomUUID() }));
          await runtime.recover();
          expect(turnState(await backend.read('s1'))).toBe('interrupted');
        }
      }
    }),
    { numRuns: 40 },
  );
});
