import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeDisk } from '../disk.js';
import type { Layout } from '../layout.js';
import { holderOf } from '../lock.js';
import { namesIn } from './folder-listing.js';
import type { FolderProblem } from './folder-problem.js';

/** What a crash can leave in our own sub-folder. Nothing of it is wrong while a living process has the folder. */
export async function* checkOwnFolder(layout: Layout): AsyncGenerator<FolderProblem> {
  const holder = await holderOf(nodeDisk, layout);
  if (holder?.isAlive === false) {
    yield {
      code: 'stale-lock',
      path: layout.lock,
      message: `${layout.lock} is held by process ${holder.pid} on ${holder.host} since ${holder.since}, which runs no more: the next writer takes it over.`,
      fixable: true,
    };
  }
  for (const name of await namesIn(layout.intents)) {
    const path = join(layout.intents, name);
    yield (await isJson(path))
      ? left('unfinished-change', path, 'tells of a change that a crash cut off: the next writer finishes it')
      : {
          ...left('unreadable-intent', path, 'tells of a change that was not finished, but cannot be read'),
          fixable: false,
        };
  }
  for (const name of await namesIn(layout.staged))
    yield left('leftover-file', join(layout.staged, name), 'was made and never used');
  for (const name of await namesIn(layout.own)) {
    const path = join(layout.own, name);
    if (name.startsWith('journal'))
      yield left('unfinished-journal', path, 'holds messages on their way: the next writer brings them home');
    if (isLeftover(name)) yield left('leftover-file', path, 'was made and never used');
  }
}

/** Files on their way to another name, whose maker died. */
export function isLeftover(name: string): boolean {
  return /^(?:lock|succession)-|\.json\.[0-9a-f-]{36}$/.test(name);
}

function left(code: FolderProblem['code'], path: string, what: string): FolderProblem {
  return { code, path, message: `${path} ${what}.`, fixable: true };
}

async function isJson(path: string): Promise<boolean> {
  try {
    JSON.parse(await readFile(path, 'utf8'));
    return true;
  } catch {
    return false;
  }
}
