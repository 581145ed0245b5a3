import { isCode } from '../disk.js';
import { type HistoryReader, publish } from '../history-reader.js';
import type { Layout } from '../layout.js';
import type { LogShape } from '../log-shape.js';
import { createLineReport } from '../open-folder.js';
import { settleFrom } from '../settle.js';
import { type FolderProblem, type FolderProblemCode, problemOfFinding } from './folder-problem.js';
import { doubting, entryOfFiles, type SessionFiles, withHistoryFile } from './session-files.js';

export interface SessionCheck {
  readonly problems: readonly FolderProblem[];
  /** Messages that can be read. */
  readonly messages: number;
}

/** Reads one session's files to their end and says what is wrong with them. A walk, a few lines in memory. */
export async function checkSession(
  layout: Layout,
  files: SessionFiles,
  maxLineBytes: number,
): Promise<SessionCheck> {
  const problems: FolderProblem[] = [];
  if (files.metadata === 'broken')
    problems.push(
      ofMetadata(layout, files, 'broken-metadata', 'cannot be read: the session is told from its history'),
    );
  if (files.history === undefined) {
    if (files.count > 0)
      problems.push(
        ofMetadata(
          layout,
          files,
          'history-missing',
          `counts ${files.count} messages, but there is no ${layout.history(files.name)}: put it back if you have it`,
        ),
      );
    return { problems, messages: 0 };
  }
  const entry = doubting(entryOfFiles(files));
  const { size, writtenAt } = files.history;
  const found = await withHistoryFile(layout, entry, maxLineBytes, async (reader) => {
    const settled = await settleFrom(reader, entry, size, writtenAt);
    await report(reader, problems);
    return { log: settled.log, messages: settled.meta.messageCount };
  }).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  // Gone since it was measured: purged by the process that has the folder.
  if (found === undefined) return { problems: [], messages: 0 };
  problems.push(...metadataProblems(layout, files, found.log));
  return { problems, messages: found.messages };
}

async function report(reader: HistoryReader, problems: FolderProblem[]): Promise<void> {
  const lines = createLineReport((finding) => {
    const problem = problemOfFinding(finding);
    if (problem !== undefined) problems.push(problem);
  });
  await publish(reader, true, lines);
}

function metadataProblems(layout: Layout, files: SessionFiles, log: LogShape): readonly FolderProblem[] {
  const { stored, count } = files;
  if (files.metadata === 'missing' && log.explicit && log.lines > 0) {
    // PicoClaw may leave a history alone; a store that numbers its lines never does.
    const path = layout.history(files.name);
    const message = `${path} has no metadata beside it any more: the session is known by the name of the file, which may not be its key.`;
    return [{ code: 'metadata-missing', key: files.key, path, message, fixable: true }];
  }
  if (stored === undefined) return [];
  // A line that was cut off was never acknowledged, so that nobody has counted it.
  const ended = log.lines - (log.tail === 'open' ? 1 : 0);
  if (stored.skip > log.lines)
    return [
      ofMetadata(
        layout,
        files,
        'skip-beyond-end',
        `hides ${stored.skip} lines of a history that has ${log.lines}: all of it is hidden, what comes next is not`,
      ),
    ];
  if (count > log.lines)
    return [
      ofMetadata(
        layout,
        files,
        'history-shorter',
        `counts ${count} lines of a history that has ${log.lines}: some are lost`,
      ),
    ];
  if (count < ended)
    return [
      ofMetadata(
        layout,
        files,
        'lagging-metadata',
        `counts ${count} lines of a history that has ${log.lines}: the history is right`,
      ),
    ];
  return [];
}

function ofMetadata(
  layout: Layout,
  { name, key }: SessionFiles,
  code: FolderProblemCode,
  what: string,
): FolderProblem {
  const path = layout.meta(name);
  return { code, key, path, message: `${path} ${what}.`, fixable: true };
}
