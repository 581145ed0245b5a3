// One cold start in a process of its own: cold-start.js ours|raw read|last|list FILE. Prints milliseconds, from the
// first import and from the open.
const [, , who, what, file = ''] = process.argv;

const began = performance.now();
let opened = began;
let count = 0;
if (who === 'raw') {
  const { openRawSessions } = await import('./raw-sessions.js');
  opened = performance.now();
  const raw = openRawSessions(file);
  count = what === 'read' ? raw.readAll('long') : what === 'last' ? raw.readLast('huge', 50) : raw.newest(50);
} else {
  const { createSqliteBackend } = await import('@x/session-sqlite');
  opened = performance.now();
  const store = await createSqliteBackend({ file });
  count =
    what === 'read'
      ? (await store.read('long')).length
      : what === 'last'
        ? (await store.read('huge', { limit: 50, order: 'desc' })).length
        : (await store.list({ limit: 50 })).sessions.length;
}
const ended = performance.now();
process.stdout.write(JSON.stringify({ whole: ended - began, fromOpen: ended - opened, count }));

export {};
