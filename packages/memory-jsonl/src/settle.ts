import { afterAppend, type SessionMeta } from '@x/session-store';
import { type HistoryReader, messageOf } from './history-reader.js';
import { countHidden } from './history-scan.js';
import { emptyLog, type LogShape, survey } from './log-shape.js';
import type { SessionEntry } from './session-entry.js';

/** The record and the shape that a history of this size bears out, whatever the metadata said. */
export interface Settled {
  readonly meta: SessionMeta;
  readonly log: LogShape;
}

/**
 * The history is the truth: reads what the metadata does not know yet, or all of it where another program wrote
 * the metadata last. `writtenAt` is the time of the last write to the file.
 */
export async function settleFrom(
  reader: HistoryReader,
  entry: SessionEntry,
  fileSize: number,
  writtenAt: string,
): Promise<Settled> {
  const { log } = entry.known;
  const goesOn =
    log !== undefined && log.tail !== 'open' && log.size <= fileSize && (await endsLine(reader, log.size));
  return goesOn
    ? settleTail(reader, entry.meta, log, fileSize, writtenAt)
    : settleWhole(reader, entry, fileSize);
}

/** Messages that were appended before a crash kept the metadata from following. */
async function settleTail(
  reader: HistoryReader,
  known: SessionMeta,
  log: LogShape,
  fileSize: number,
  writtenAt: string,
): Promise<Settled> {
  let meta = known;
  const shape = await survey(reader, log, fileSize, (line) => {
    const message = messageOf(reader, line);
    if (message !== undefined) meta = afterAppend(meta, [message], writtenAt);
    return message !== undefined;
  });
  return { meta: { ...meta, lastSeq: Math.max(meta.lastSeq, shape.tailSeq) }, log: shape };
}

/** A file that another program wrote: `skip` of its lines are hidden, and the counts are told anew. */
async function settleWhole(reader: HistoryReader, entry: SessionEntry, fileSize: number): Promise<Settled> {
  const { meta: known } = entry;
  const { skip, log } = entry.known;
  // What we wrote ourselves knows its cutoff; else PicoClaw's count of lines says where it is.
  const ownCutoff = log === undefined ? undefined : known.cutoff;
  const hiddenThrough = known.bin?.throughSeq ?? 0;
  let cutoff = ownCutoff ?? 0;
  let hidden = 0;
  let meta: SessionMeta = {
    ...known,
    messageCount: 0,
    activeCount: 0,
    lastSeq: 0,
    cutoff: 0,
    userTurns: 0,
    promptInjections: 0,
  };
  let activeCount = 0;
  const lastClosed = known.segments.at(-1)?.lastSeq ?? 0;
  const shape = await survey(reader, emptyLog, fileSize, (line, index) => {
    if (ownCutoff === undefined ? index <= skip : line.seq <= ownCutoff) {
      cutoff = Math.max(cutoff, line.seq);
      hidden = index;
    }
    const message = messageOf(reader, line);
    if (message === undefined) return false;
    if (line.seq > hiddenThrough) {
      const { messageCount } = meta;
      const counted = afterAppend(meta, [message], known.activeAt);
      // Turns count since the last reset.
      meta = line.seq > lastClosed ? counted : { ...meta, messageCount: messageCount + 1 };
    }
    if (line.seq > cutoff) activeCount += 1;
    return true;
  });
  const { archivedAt, segmentStartedAt, updatedAt, activeAt } = known;
  return {
    meta: {
      ...meta,
      ...(archivedAt === undefined ? {} : { archivedAt }),
      ...(segmentStartedAt === undefined ? {} : { segmentStartedAt }),
      updatedAt,
      activeAt,
      activeCount,
      cutoff,
      lastSeq: Math.max(known.lastSeq, shape.tailSeq),
      revision: known.revision + shape.lines,
    },
    log: { ...shape, hidden: ownCutoff === undefined ? hidden : await countHidden(reader, shape, cutoff) },
  };
}

async function endsLine({ file }: HistoryReader, size: number): Promise<boolean> {
  if (size === 0) return true;
  const last = Buffer.alloc(1);
  const { bytesRead } = await file.read(last, 0, 1, size - 1);
  return bytesRead === 1 && last[0] === 10;
}
