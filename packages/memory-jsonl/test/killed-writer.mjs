// Changes a few sessions of a folder and kills itself: node killed-writer.mjs DIRECTORY
import { createJsonlBackend } from '@x/memory-jsonl';

const store = await createJsonlBackend({ directory: process.argv[2] });
const said = (content) => [{ role: 'user', content }];
await store.append('k:1', said('alone'));
await Promise.all(['k:2', 'k:3', 'k:4'].map((key) => store.append(key, said('together'))));
await store.rename('k:5', 'renamed');
await store.unarchive('k:7');
await store.restore('k:9');
await store.delete('k:10');
await store.ensure('k:new', { aliases: ['agent:main:direct:new'] });
await store.append('k:new', said('new'));
await store.delete('k:11');
await store.purge('k:11');
process.kill(process.pid, 'SIGKILL');
