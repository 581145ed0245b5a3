import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { SessionMeta } from '@x/session-store';
import type { AliasIndex } from '../alias-index.js';
import { type Disk, writeSynced } from '../disk.js';
import type { HistoryReader } from '../history-reader.js';
import { placing } from '../history-reader.js';
import { carryOut, type IntentStep } from '../intent.js';
import { historyEnding, type Layout, metaEnding } from '../layout.js';
import { walkForward } from '../line-walk.js';
import { emptyLog, type LogShape } from '../log-shape.js';
import { decodeLine, numbered, untied } from '../message-line.js';
import { encodeMeta } from '../meta-file.js';
import { createLineWriter, type LineWriter } from '../rewrite.js';
import { settleFrom } from '../settle.js';
import { entryOfFiles, readSessionFiles, withHistoryFile } from './session-files.js';

export interface SessionMend {
  readonly name: string;
  /** Leave out of the history what cannot be read. */
  readonly rewrite: boolean;
  readonly aliases: AliasIndex;
  readonly maxLineBytes: number;
  readonly now: () => Date;
}

/** Writes a session's metadata anew from its history, and the history where asked, both in one step. */
export async function mendSession(disk: Disk, layout: Layout, mend: SessionMend): Promise<void> {
  const { name, rewrite, aliases, maxLineBytes, now } = mend;
  const files = await readSessionFiles(layout, name, now);
  const entry = entryOfFiles(files);
  const steps: IntentStep[] = [];
  let meta: SessionMeta = { ...entry.meta, messageCount: 0, activeCount: 0 };
  let log: LogShape = emptyLog;
  if (files.history !== undefined) {
    const { size, writtenAt } = files.history;
    await withHistoryFile(layout, entry, maxLineBytes, async (reader) => {
      ({ meta, log } = await settleFrom(reader, entry, size, writtenAt));
      if (!rewrite) return;
      const staged = stagedName();
      log = await writeMended(disk, join(layout.folder, staged), reader, log, meta.cutoff);
      steps.push({ do: 'move', from: staged, to: name + historyEnding });
    });
  }
  const { untimedAt, namedByFile, others } = entry;
  const refused = meta.aliases.filter((alias) => (aliases.owner(alias) ?? meta.key) !== meta.key);
  const staged = stagedName();
  const text = encodeMeta(meta, log, { untimedAt, namedByFile, others, refused });
  await writeSynced(disk, join(layout.folder, staged), text);
  steps.push({ do: 'move', from: staged, to: name + metaEnding });
  await carryOut(disk, layout, steps);
}

function stagedName(): string {
  return `.holdfast/staged/${randomUUID()}`;
}

/** The readable lines of a history, each with the seq, id and time it was known by. */
async function writeMended(
  disk: Disk,
  path: string,
  reader: HistoryReader,
  log: LogShape,
  cutoff: number,
): Promise<LogShape> {
  const output = await disk.open(path, 'wx', 0o644);
  try {
    const writer = createLineWriter(output, cutoff);
    const place = placing(0);
    for await (const lines of walkForward(reader.file, 0, log.size, reader.maxLineBytes)) {
      for (const raw of lines) await copyReadable(reader, place(raw), writer);
    }
    const shape = await writer.finish();
    await output.datasync();
    return shape;
  } finally {
    await output.close();
  }
}

const newline = Buffer.from('\n');
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

async function copyReadable(
  { file, untimedAt }: HistoryReader,
  { raw, head, seq }: ReturnType<ReturnType<typeof placing>>,
  writer: LineWriter,
): Promise<void> {
  // Nobody can say of a line that is too long to be read whether it is a message: it stays.
  if (raw.bytes === undefined) return writer.copy(file, raw);
  const { message, damaged } = decodeLine(raw.bytes, seq, untimedAt);
  if (message === undefined) return;
  if (head.seq === seq && !damaged)
    return writer.line(Buffer.concat([untied(raw.bytes, head), newline]), seq);
  const marked = raw.bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const line = numbered(raw.bytes.subarray(marked ? byteOrderMark.length : 0), seq, untimedAt);
  if (line !== undefined) await writer.line(Buffer.concat([line, newline]), seq);
}
