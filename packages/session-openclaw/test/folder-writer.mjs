// Writes the sessions of one OpenClaw folder into another, until it is done or killed.
import { createMemoryBackend } from '@x/session-store';
import { createOpenclawBackend, writeOpenclawFolder } from '../dist/index.js';

const [source, target] = process.argv.slice(2);
const openclaw = await createOpenclawBackend({ directory: source });
const store = createMemoryBackend();
await store.import(openclaw.export());
process.stdout.write('ready\n');
await writeOpenclawFolder(target, store.export());
process.stdout.write('done\n');
await Promise.all([openclaw.close(), store.close()]);
