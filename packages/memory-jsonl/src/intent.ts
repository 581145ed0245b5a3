import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { type Disk, isCode, moveSynced, removeSynced, syncFolder, writeSynced } from './disk.js';
import type { Layout } from './layout.js';
import { UnknownOutcome } from './unknown-outcome.js';

/*
 * A step that changes several files is written down first, with all that is needed to finish it, and struck out
 * last. A crash in between is mended at the next opening: the step is done again, from wherever it stood.
 * Everything that needs room on the disk is there before the intent is (staged files), appended lines aside.
 */

const stepSchema = z.discriminatedUnion('do', [
  /** Make the file exactly `at` bytes long and add the text. */
  z.object({ do: z.literal('append'), file: z.string(), at: z.number().int().min(0), text: z.string() }),
  /** Move a file over another, if it is still where it was. */
  z.object({ do: z.literal('move'), from: z.string(), to: z.string() }),
  z.object({ do: z.literal('remove'), file: z.string() }),
]);
const intentSchema = z.object({ version: z.literal(1), steps: z.array(stepSchema) });

/** Files are named relative to the folder, so that it can be moved. */
export type IntentStep = z.infer<typeof stepSchema>;

/** Thrown where a step can be neither finished nor undone now. The next opening finishes it. */
export class StuckIntent extends UnknownOutcome {}

/** Does all steps or none. */
export async function carryOut(disk: Disk, layout: Layout, steps: readonly IntentStep[]): Promise<void> {
  const [only] = steps;
  // One rename happens or does not: nothing to write down.
  if (steps.length === 1 && only?.do === 'move') return moveAlone(disk, layout, only.from, only.to);
  const intent = await writeIntent(disk, layout, steps);
  const appends = steps.filter((step) => step.do === 'append');
  try {
    for (const step of appends) await redoAppend(disk, layout, step);
  } catch (error) {
    // No room for the lines, most likely: as if nothing had been asked.
    try {
      for (const { file, at } of appends) await cutBack(disk, join(layout.folder, file), at);
      await removeSynced(disk, intent);
    } catch {
      throw new StuckIntent('A change could be neither finished nor undone.', { cause: error });
    }
    throw error;
  }
  try {
    await redoNames(disk, layout, steps);
    // Done again, moves of staged files do nothing: it is no harm where a power cut brings the intent back.
    if (steps.every(isMoveOfStaged)) await disk.unlink(intent);
    else await removeSynced(disk, intent);
  } catch (error) {
    throw new StuckIntent('A change was written down but not finished.', { cause: error });
  }
}

async function moveAlone(disk: Disk, layout: Layout, from: string, to: string): Promise<void> {
  await disk.rename(join(layout.folder, from), join(layout.folder, to));
  try {
    await syncFolder(disk, layout.folder);
  } catch (error) {
    throw new StuckIntent('A change was made, but is perhaps not safe from a power cut.', { cause: error });
  }
}

async function writeIntent(disk: Disk, layout: Layout, steps: readonly IntentStep[]): Promise<string> {
  const name = `${randomUUID()}.json`;
  const staged = join(layout.staged, name);
  const intent = join(layout.intents, name);
  await writeSynced(disk, staged, JSON.stringify({ version: 1, steps }));
  // The staged files must have their names for good before the intent counts on them.
  await syncFolder(disk, layout.staged);
  try {
    await moveSynced(disk, staged, intent);
  } catch (error) {
    try {
      await removeSynced(disk, intent);
    } catch {
      throw new StuckIntent('A change was perhaps written down.', { cause: error });
    }
    throw error;
  }
  return intent;
}

/** Finishes what a crash cut off. `unreadable` gets the path of an intent that nobody can understand. */
export async function finishIntents(
  disk: Disk,
  layout: Layout,
  unreadable: (path: string) => void,
): Promise<number> {
  let finished = 0;
  for (const name of (await disk.readdir(layout.intents)).sort()) {
    const path = join(layout.intents, name);
    const intent = intentSchema.safeParse(await readJson(disk, path));
    if (!intent.success || !intent.data.steps.every(staysInside)) {
      unreadable(path);
      continue;
    }
    const { steps } = intent.data;
    for (const step of steps) if (step.do === 'append') await redoAppend(disk, layout, step);
    await redoNames(disk, layout, steps);
    await removeSynced(disk, path);
    finished += 1;
  }
  for (const name of await disk.readdir(layout.staged)) await disk.unlink(join(layout.staged, name));
  return finished;
}

/** Steps name files of the folder, or staged ones. */
function staysInside(step: IntentStep): boolean {
  const names = step.do === 'move' ? [step.from, step.to] : [step.file];
  return names.every((name) => name === basename(name) || name === `.holdfast/staged/${basename(name)}`);
}

function isMoveOfStaged(step: IntentStep): boolean {
  return step.do === 'move' && step.from.startsWith('.holdfast/staged/');
}

/** Moves and removes what is still to be, and makes the names safe. */
async function redoNames(disk: Disk, layout: Layout, steps: readonly IntentStep[]): Promise<void> {
  const pathOf = (name: string) => join(layout.folder, name);
  // What a later step has put into the place of a file must not be taken for that file.
  const isDone = (name: string, behind: number) =>
    steps.some(
      (later, index) =>
        index > behind &&
        later.do === 'move' &&
        later.to === name &&
        disk.statNow(pathOf(later.from)) === undefined,
    );
  let isAnyName = false;
  for (const [index, step] of steps.entries()) {
    if (step.do === 'append') continue;
    isAnyName = true;
    try {
      if (step.do === 'remove') await disk.unlink(pathOf(step.file));
      else if (!isDone(step.from, index)) await disk.rename(pathOf(step.from), pathOf(step.to));
    } catch (error) {
      if (!isCode(error, 'ENOENT')) throw error;
    }
  }
  if (isAnyName) await syncFolder(disk, layout.folder);
}

async function redoAppend(
  disk: Disk,
  layout: Layout,
  step: Extract<IntentStep, { readonly do: 'append' }>,
): Promise<void> {
  const file = await disk.open(join(layout.folder, step.file), 'a');
  try {
    await file.truncate(step.at);
    await file.writeFile(step.text);
    await file.datasync();
  } finally {
    await file.close();
  }
  if (step.at === 0) await syncFolder(disk, layout.folder);
}

async function cutBack(disk: Disk, path: string, size: number): Promise<void> {
  try {
    const file = await disk.open(path, 'r+');
    try {
      await file.truncate(size);
      await file.datasync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isCode(error, 'ENOENT')) throw error;
  }
}

async function readJson(disk: Disk, path: string): Promise<unknown> {
  const file = await disk.open(path, 'r');
  try {
    return JSON.parse(await file.readFile('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  } finally {
    await file.close();
  }
}
