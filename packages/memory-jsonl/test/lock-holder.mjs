// Opens a store and holds it until it is killed: node lock-holder.mjs DIRECTORY
import { writeSync } from 'node:fs';
import { createJsonlBackend } from '@x/memory-jsonl';

const store = await createJsonlBackend({ directory: process.argv[2] });
await store.ensure('s');
await store.append('s', [{ role: 'user', content: 'from the holder' }]);
writeSync(1, 'ready\n');
setInterval(() => {}, 1000);
