// Counts in a sessions.json, one update after the other, until it is told to stop or killed.
import { updateIndex } from '../dist/index.js';

const [path, name, count] = process.argv.slice(2);
process.stdout.write('ready\n');
for (let step = 1; step <= Number(count); step += 1) {
  await updateIndex(
    path,
    (entries) => {
      const before = entries.get('counter') ?? { total: 0, steps: {} };
      entries.set('counter', {
        ...before,
        total: before.total + 1,
        steps: { ...before.steps, [name]: step },
      });
      return true;
    },
    { rotateBytes: 200, waitMs: 120_000 },
  );
  process.stdout.write(`${step}\n`);
}
