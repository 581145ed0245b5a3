import { createAgentRuntime, defineTool } from '@x/agent-runtime';
import { createMemoryBackend } from '@x/session-store';
import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { z } from 'zod';

// Any model of the `ai` package fits here, `openai('…')` for instance. This one calls the tool, then answers.
const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const script = [
  [
    { type: 'tool-call', toolCallId: '1', toolName: 'clock', input: '{}' },
    { type: 'finish', finishReason: { unified: 'tool-calls' }, usage },
  ],
  [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', delta: 'It is noon.' },
    { type: 'text-end', id: '1' },
    { type: 'finish', finishReason: { unified: 'stop' }, usage },
  ],
];
const model = new MockLanguageModelV3({
  doStream: async () => ({ stream: simulateReadableStream({ chunks: (script.shift() ?? []) as never[] }) }),
});

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time.',
  inputSchema: z.object({ zone: z.string().default('UTC') }),
  execute: async ({ zone }) => `12:00 in ${zone}`,
});

const backend = createMemoryBackend();
const runtime = createAgentRuntime({ backend });
const turn = await runtime.submit({
  session: { sessionKey: 'example' },
  input: { text: 'What time is it?' },
  agent: { id: 'main', system: 'You are brief.', model, modelName: 'mock', tools: [clock] },
});
for await (const event of turn.events) {
  if (event.type === 'tool') console.log(`${event.name}: ${event.phase}`);
  if (event.type === 'token') console.log(event.text);
}
for (const { seq, role } of await backend.read('example')) console.log(`${seq} ${role}`);
await runtime.close();
