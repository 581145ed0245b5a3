import { stat } from 'node:fs/promises';
import { resolve as absolutePath, join } from 'node:path';
import { StoreFailed } from '@x/session-store';
import { type AliasIndex, byPrecedence, createAliasIndex } from '../alias-index.js';
import { nodeDisk } from '../disk.js';
import { type Layout, layoutOf } from '../layout.js';
import { readLegacyFiles } from '../legacy/legacy-folder.js';
import { holderOf } from '../lock.js';
import { type FolderListing, listFolder } from './folder-listing.js';
import type { FolderProblem, FolderProblemCode } from './folder-problem.js';
import { checkOwnFolder } from './own-folder.js';
import { checkSession } from './session-check.js';
import { type Claimant, claimsOf, readSessionFiles } from './session-files.js';

export interface InspectOptions {
  /** Longer lines are not read. Default 20 MiB, as the store's. */
  readonly maxLineBytes?: number;
  /** Default: the machine's clock. */
  readonly now?: () => Date;
}

export interface FolderCounts {
  readonly sessions: number;
  /** Those that can be read. */
  readonly messages: number;
}

/** Where each session lies, and which alias leads to which: what a repair needs to know besides the problems. */
export interface Inspection extends FolderCounts {
  readonly names: ReadonlyMap<string, string>;
  readonly aliases: AliasIndex;
}

/**
 * Looks through a sessions folder, PicoClaw's or ours, without changing it or taking its lock: each problem as it is
 * found, then how much there is. A line, not a history, is in memory at a time; of the sessions only their names.
 * While a process has the folder open, what that process has in hand is no problem.
 */
export async function* inspectJsonl(
  directory: string,
  options: InspectOptions = {},
): AsyncGenerator<FolderProblem, FolderCounts> {
  const layout = layoutOf(absolutePath(directory));
  const holder = await holderOf(nodeDisk, layout).catch(() => undefined);
  const { sessions, messages } = yield* inspect(layout, holder?.isAlive === true, options);
  return { sessions, messages };
}

const inHand: ReadonlySet<FolderProblemCode> = new Set<FolderProblemCode>([
  'lagging-metadata',
  'torn-line',
  'unfinished-append',
]);

export async function* inspect(
  layout: Layout,
  isInUse: boolean,
  { maxLineBytes = 20 * 1024 * 1024, now = () => new Date() }: InspectOptions,
): AsyncGenerator<FolderProblem, Inspection> {
  await checkFolder(layout.folder);
  if (!isInUse) yield* checkOwnFolder(layout);
  const listing = await listFolder(layout.folder);
  const claims: { readonly claimant: Claimant; readonly aliases: readonly string[] }[] = [];
  const names = new Map<string, string>();
  let messages = 0;
  for (const name of listing.sessions) {
    const files = await readSessionFiles(layout, name, now);
    // Gone since the folder was listed.
    if (files.metadata === 'missing' && files.history === undefined) continue;
    const other = names.get(files.key);
    if (other !== undefined) {
      yield duplicate(layout, files.key, name, other);
      continue;
    }
    names.set(files.key, name);
    const check = await checkSession(layout, files, maxLineBytes);
    messages += check.messages;
    for (const problem of check.problems) if (!isInUse || !inHand.has(problem.code)) yield problem;
    if (files.stored !== undefined) {
      const { key, createdAt } = files.stored.meta;
      claims.push({ claimant: { key, createdAt }, aliases: claimsOf(files) });
    }
  }
  const aliases = createAliasIndex();
  for (const { claimant, aliases: claimed } of claims.sort((left, right) =>
    byPrecedence(left.claimant, right.claimant),
  )) {
    for (const alias of claimed) aliases.claim(alias, claimant.key);
  }
  yield* aliasConflicts(layout, aliases, names);
  yield* otherFiles(layout, listing, now);
  return { sessions: names.size, messages, names, aliases };
}

function* aliasConflicts(
  layout: Layout,
  aliases: AliasIndex,
  names: ReadonlyMap<string, string>,
): Generator<FolderProblem> {
  for (const [alias, [owner, ...others]] of aliases.conflicts()) {
    for (const key of others) {
      const path = layout.meta(names.get(key) ?? key);
      const message = `${path} lists the alias "${alias}", which leads to "${owner}": that was created first.`;
      yield { code: 'alias-conflict', key, path, message, fixable: true };
    }
  }
}

async function* otherFiles(
  layout: Layout,
  listing: FolderListing,
  now: () => Date,
): AsyncGenerator<FolderProblem> {
  for (const name of listing.leftovers) {
    const path = join(layout.folder, name);
    yield { code: 'leftover-file', path, message: `${path} was made and never used.`, fixable: true };
  }
  const older = new Set<string>();
  if (listing.json.length > 0) {
    for await (const found of readLegacyFiles(layout.folder, now)) {
      older.add(found.file);
      const path = join(layout.folder, found.file);
      yield 'reason' in found
        ? foreign(path, `is no session that can be read (${found.reason}): left alone`)
        : {
            code: 'older-session',
            key: found.session.meta.key,
            path,
            message: `${path} is a session of PicoClaw's older format: the gateway moves it when it starts, and so does holdfast migrate.`,
            fixable: false,
          };
    }
  }
  for (const name of [...listing.json.filter((file) => !older.has(file)), ...listing.foreign])
    yield foreign(join(layout.folder, name), 'belongs to no session: left alone');
}

function foreign(path: string, what: string): FolderProblem {
  return { code: 'foreign-file', path, message: `${path} ${what}.`, fixable: false };
}

function duplicate(layout: Layout, key: string, name: string, other: string): FolderProblem {
  const path = layout.meta(name);
  const message = `${path} names the session "${key}", as ${layout.meta(other)} does: it is not seen. Keep one of the two.`;
  return { code: 'duplicate-key', key, path, message, fixable: false };
}

async function checkFolder(directory: string): Promise<void> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() === true) return;
  const what = found === undefined ? 'does not exist' : 'is not a folder';
  throw new StoreFailed(`The sessions folder ${directory} ${what}. Name another place.`, { path: directory });
}
