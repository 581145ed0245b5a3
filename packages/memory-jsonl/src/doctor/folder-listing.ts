import { opendir } from 'node:fs/promises';
import { isCode } from '../disk.js';
import { historyEnding, metaEnding } from '../layout.js';

/** The files of a sessions folder by what they are for. */
export interface FolderListing {
  /** Names of sessions, without ending: those with metadata first, each kind sorted, as the store takes them. */
  readonly sessions: readonly string[];
  /** Temporary files of a run on PicoClaw's older format. */
  readonly leftovers: readonly string[];
  /** `*.json` that are neither metadata nor sealed. */
  readonly json: readonly string[];
  readonly foreign: readonly string[];
}

/** Left by a store that does not need them any more: sealed older sessions, metadata kept aside. */
const put = /(?:\.json\.migrated(?:-[0-9a-f]+)?|\.meta\.json\.broken-[0-9TZ-]+)$/;
const made = /\.json\.[0-9a-f-]{36}\.tmp$/;

export async function listFolder(directory: string): Promise<FolderListing> {
  const metas: string[] = [];
  const histories: string[] = [];
  const listing = { leftovers: [] as string[], json: [] as string[], foreign: [] as string[] };
  for await (const entry of await opendir(directory)) {
    const { name } = entry;
    if (entry.isDirectory() || put.test(name)) continue;
    if (name.endsWith(historyEnding)) histories.push(name.slice(0, -historyEnding.length));
    else if (name.endsWith(metaEnding)) metas.push(name.slice(0, -metaEnding.length));
    else if (name.endsWith('.json')) listing.json.push(name);
    else if (made.test(name)) listing.leftovers.push(name);
    else listing.foreign.push(name);
  }
  const withMetadata = new Set(metas);
  const bare = histories.filter((name) => !withMetadata.has(name));
  for (const names of [metas, bare, ...Object.values(listing)]) names.sort();
  return { ...listing, sessions: [...metas, ...bare] };
}

/** The names in a folder that may not be there. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  try {
    for await (const { name } of await opendir(folder)) names.push(name);
  } catch (error) {
    if (!isCode(error, 'ENOENT', 'ENOTDIR')) throw error;
  }
  return names.sort();
}
