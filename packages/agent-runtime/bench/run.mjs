import { createAgentRuntime } from '@x/agent-runtime';
import { createMemoryBackend } from '@x/session-store';
import { stepCountIs, streamText } from 'ai';
import { fixedModel } from './fixed-model.mjs';

/*
 * What a turn costs beside its model: the runtime over the in-memory backend, and a bare `streamText` with the same
 * prompt, in turn, in one process, with a model that answers at once. Medians over rounds.
 */

const rounds = Number(process.env.BENCH_ROUNDS ?? 5);
const turns = Number(process.env.BENCH_TURNS ?? 300);
const shown = 10;

const model = fixedModel();
const agent = { id: 'main', system: 'You are brief.', model, modelName: 'fixed', tools: [] };

/** A session of so many messages, of which the newest few go to the model. */
async function sessionOf(backend, key, messages) {
  await backend.ensure(key);
  for (let at = 0; at < messages; at += 1000) {
    const count = Math.min(1000, messages - at);
    await backend.append(
      key,
      Array.from({ length: count }, (_, place) => ({
        role: (at + place) % 2 === 0 ? 'user' : 'assistant',
        content: `Message ${at + place}, of about the length of a sentence in a chat.`,
      })),
    );
  }
  await backend.truncate(key, { keepLast: shown });
}

/** Turns a second in so many sessions, each with so many messages. */
async function runtimeRate(sessions, messages) {
  const backend = createMemoryBackend();
  const keys = Array.from({ length: sessions }, (_, place) => `s${place}`);
  for (const key of keys) await sessionOf(backend, key, messages);
  const runtime = createAgentRuntime({ backend, limits: { parallelTurns: 64, historyMessages: shown } });
  const rate = await timed(
    turns,
    async (place) => {
      const sessionKey = keys[place % sessions];
      const turn = await runtime.submit({
        session: { sessionKey },
        input: { text: 'Hi' },
        agent,
        whenBusy: 'wait',
      });
      return turn.outcome;
    },
    sessions === 1 ? 1 : 64,
  );
  await runtime.close();
  return rate;
}

/** The same prompt, straight to the library. */
async function bareRate(parallel) {
  const messages = Array.from({ length: shown }, (_, place) => ({
    role: place % 2 === 0 ? 'user' : 'assistant',
    content: `Message ${place}, of about the length of a sentence in a chat.`,
  }));
  return timed(
    turns,
    async () => {
      const { textStream } = streamText({
        model,
        system: agent.system,
        messages: [...messages, { role: 'user', content: 'Hi' }],
        stopWhen: stepCountIs(1),
      });
      for await (const _piece of textStream);
    },
    parallel,
  );
}

/** Turns a second, and the processor's time for one, which other work on the machine leaves as it is. */
async function timed(count, run, parallel) {
  const start = performance.now();
  const before = process.cpuUsage();
  for (let at = 0; at < count; at += parallel) {
    const size = Math.min(parallel, count - at);
    await Promise.all(Array.from({ length: size }, (_, place) => run(at + place)));
  }
  const { user, system } = process.cpuUsage(before);
  return { rate: (count / (performance.now() - start)) * 1000, cpuMs: (user + system) / 1000 / count };
}

/** Bytes that the runtime itself holds for each session that has had a turn and is idle. */
async function idleBytes(sessions) {
  const backend = createMemoryBackend();
  const keys = Array.from({ length: sessions }, (_, place) => `s${place}`);
  let runtime = createAgentRuntime({ backend, limits: { parallelTurns: 64 } });
  await timed(
    sessions,
    async (place) => {
      const turn = await runtime.submit({
        session: { sessionKey: keys[place] },
        input: { text: 'Hi' },
        agent,
      });
      return turn.outcome;
    },
    64,
  );
  const before = await heap();
  runtime = undefined;
  return Math.max(0, before - (await heap())) / sessions;
}

async function heap() {
  for (let pass = 0; pass < 4; pass += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    globalThis.gc();
  }
  return process.memoryUsage().heapUsed;
}

const median = (numbers) =>
  numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length / 2)];

const cases = [
  ['one session, 10 messages', () => runtimeRate(1, 10), () => bareRate(1)],
  [
    'one session, 10,000 messages, of which 10 go to the model',
    () => runtimeRate(1, 10_000),
    () => bareRate(1),
  ],
  ['1,000 sessions, 10 messages each, 64 at once', () => runtimeRate(1000, 10), () => bareRate(64)],
];

await bareRate(1);
await runtimeRate(1, 10);
console.log('| workload | turns /s | bare streamText /s | processor, a turn | bare | overhead |');
console.log('| --- | --- | --- | --- | --- | --- |');
for (const [name, ours, bare] of cases) {
  const runs = [];
  for (let round = 0; round < rounds; round += 1) runs.push([await ours(), await bare()]);
  const middle = (pick) => median(runs.map(pick));
  const [cpu, bareCpu] = [middle(([mine]) => mine.cpuMs), middle(([, theirs]) => theirs.cpuMs)];
  const rates = [middle(([mine]) => mine.rate), middle(([, theirs]) => theirs.rate)].map(Math.round);
  const times = [cpu, bareCpu, cpu - bareCpu].map((ms) => `${ms.toFixed(2)} ms`);
  console.log(`| ${[name, ...rates, ...times].join(' | ')} |`);
}
console.log(`\nHeld by the runtime for an idle session: ${Math.round(await idleBytes(5000))} bytes.`);
