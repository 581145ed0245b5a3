import { pathToFileURL } from 'node:url';

/**
 * Becomes the program at `path`, as if `node path ...args` had been called with `environment`. No child: signals,
 * terminal and exit code are the program's own, nothing is left over when this process is killed, and the start of
 * a second Node is saved.
 * When npm started this process and is gone, it asks itself to stop: nobody is left to do so.
 */
export async function runHere(path, args, environment) {
  const startedByNpm = Boolean(process.env.npm_lifecycle_event);
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  process.argv = [process.execPath, path, ...args];
  if (startedByNpm) stopWithoutParent();
  await import(pathToFileURL(path).href);
}

function stopWithoutParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500);
  watch.unref();
}
