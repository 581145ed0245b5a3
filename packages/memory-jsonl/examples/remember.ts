import { createJsonlBackend } from '@x/memory-jsonl';

const directory = process.env.SESSIONS ?? './sessions';

const store = await createJsonlBackend({
  directory,
  onFinding: ({ message }) => console.error(message),
});
await store.ensure('agent:main:direct:ada', { title: 'Ada' });
await store.append('agent:main:direct:ada', [
  { role: 'user', content: 'Remember the milk.' },
  { role: 'assistant', content: 'Noted.' },
]);
// Both messages are on the disk now: a power cut does not take them back.
await store.close();

const again = await createJsonlBackend({ directory });
for (const { seq, role, content } of await again.read('agent:main:direct:ada')) {
  console.log(`${seq} ${role}: ${content}`);
}
await again.close();
