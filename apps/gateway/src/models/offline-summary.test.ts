import { SUMMARY_INSTRUCTIONS } from '@x/agent-runtime';
import { expect, it } from 'vitest';
import { answerOffline } from './offline-answer.js';
import { offlineSummary } from './offline-summary.js';

it('keeps what the person said, with what an earlier summary kept', () => {
  const first = offlineSummary(
    'The older part of the conversation:\nPerson: my name is Ada\n\nAssistant: hello\n\nPerson: I like tea',
  );
  expect(first).toMatch(/- my name is Ada\n- I like tea$/);
  const second = offlineSummary(
    `The memory so far:\n${first}\n\nThe older part of the conversation:\nPerson: and rain`,
  );
  expect(second).toMatch(/- my name is Ada\n- I like tea\n- and rain$/);
});

it('keeps the newest thirty, each of one short line', () => {
  const summary = offlineSummary(
    Array.from({ length: 40 }, (_, index) => `Person: ${index} ${'x'.repeat(500)}`).join('\n\n'),
  );
  expect(summary).toContain('(10 earlier ones are left out)');
  expect(summary).not.toContain('- 9 ');
  expect(summary).toContain('- 39 ');
  expect(Math.max(...summary.split('\n').map((line) => line.length))).toBeLessThan(170);
});

it('is what the offline model answers when it is told to write one', () => {
  const answer = answerOffline(
    [
      { role: 'system', content: SUMMARY_INSTRUCTIONS },
      {
        role: 'user',
        content: [{ type: 'text', text: 'The older part of the conversation:\nPerson: /fail' }],
      },
    ],
    new Set(),
  );
  expect(answer).toMatchObject({ kind: 'text', text: expect.stringMatching(/- \/fail$/) });
});
