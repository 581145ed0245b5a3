import { readFileSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type Finding, finding } from './finding.js';
import { INDEX, listFolder } from './folder-listing.js';
import { INDEX_STALE_MS, judgeLock, processState, readHolder, TRANSCRIPT_STALE_MS } from './lock-holder.js';

/** The locks that lie in a folder, and whether anybody has them. */
export function describeLocks(sessions: string): readonly Finding[] {
  return listFolder(sessions).locks.flatMap((name) => {
    const path = join(sessions, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    // Let go of since it was listed.
    if (stats === undefined) return [];
    const holder = readHolder(readOr(path));
    const state = judgeLock({
      holder,
      writtenAt: stats.mtimeMs,
      now: Date.now(),
      staleMs: name === `${INDEX}.lock` ? INDEX_STALE_MS : TRANSCRIPT_STALE_MS,
      host: hostname(),
      process: processState,
    });
    const who = holder.pid === undefined ? 'nobody that it names' : `process ${holder.pid}`;
    const what = state === 'held' ? `is held by ${who}` : `was left by ${who}`;
    return [finding('lock', path, `${path} ${what}.`)];
  });
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
