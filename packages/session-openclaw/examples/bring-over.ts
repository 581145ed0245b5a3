import { createOpenclawBackend, writeOpenclawFolder } from '@x/session-openclaw';
import { createMemoryBackend } from '@x/session-store';

const directory = process.env.OPENCLAW ?? `${process.env.HOME}/.openclaw`;

// Beside a running OpenClaw: nothing is locked, nothing is written.
const openclaw = await createOpenclawBackend({
  directory,
  onFinding: ({ severity, message }) => severity === 'problem' && console.error(message),
});
for (const { key, title, messageCount } of (await openclaw.list()).sessions) {
  console.log(`${key}: ${messageCount} messages${title === undefined ? '' : `, "${title}"`}`);
}

// Into any store of ours, to go on there.
const store = createMemoryBackend();
await store.import(openclaw.export());
await store.append('agent:main:main', [{ role: 'user', content: 'And Wednesday?' }]);
await openclaw.close();

// And back: what is as it was is there byte for byte, the new message follows.
const written = await writeOpenclawFolder(process.env.BACK ?? './openclaw', store.export());
console.log(`${written.length} sessions written`);
await store.close();
