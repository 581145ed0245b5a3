import { createSqliteBackend } from '@x/session-sqlite';

const file = process.env.SESSIONS ?? './sessions.db';

// Two programs on one file; here they are two connections of one.
const gateway = await createSqliteBackend({ file });
const worker = await createSqliteBackend({ file });

await gateway.ensure('telegram:77', { channel: 'telegram', title: 'Ada' });
await gateway.append('telegram:77', [{ role: 'user', content: 'Where did I leave the umbrella?' }]);
// On the disk now: a power cut does not take it back, and the other program sees it.
await worker.append('telegram:77', [{ role: 'assistant', content: 'By the door.' }]);

for (const { seq, role, content } of await gateway.read('telegram:77')) {
  console.log(`${seq} ${role}: ${content}`);
}
const { hits } = await worker.search('UMBRELLA');
console.log(hits.map(({ key, message }) => `${key}:${message.seq}`).join(' '));

await gateway.close();
await worker.close();
