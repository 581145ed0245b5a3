import { createMemoryBackend } from '@x/session-store';

const backend = createMemoryBackend();

// A session and the older name under which people may still ask for it.
await backend.ensure('sk_v1_1', { aliases: ['agent:main:direct:ann'], title: 'Ann' });

// The id makes a retry safe: the second call stores nothing.
const question = { id: 'telegram:42', role: 'user', content: 'What is the weather like?' } as const;
await backend.append('sk_v1_1', [question]);
const [retried] = await backend.append('sk_v1_1', [question]);
console.log(`retried: seq ${retried?.seq}, ${retried?.appended ? 'stored again' : 'stored once'}`);

await backend.append('sk_v1_1', [{ role: 'assistant', content: 'Sunny.' }]);
const key = await backend.resolve('Agent:main:direct:ANN');
console.log(`${key}: ${(await backend.read('sk_v1_1')).map(({ content }) => content).join(' / ')}`);

// What a model may still see is cut; what was said stays readable.
await backend.truncate('sk_v1_1', { keepLast: 1, summary: 'Ann asked about the weather.' });
const active = await backend.read('sk_v1_1');
const all = await backend.read('sk_v1_1', { segment: 'all' });
console.log(`active ${active.length}, all ${all.length}`);

await backend.close();
