import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { type Disk, nodeDisk } from '../src/disk.js';
import { codeError } from './failing-disk.js';

/*
 * A real folder, and what of it a power cut would leave: contents that were synced, names whose folder was. The n-th
 * call can be made to fail, or to be the last one before everything stops.
 */

export type FaultKind = 'EIO' | 'ENOSPC' | 'EMFILE' | 'EACCES' | 'short' | 'crash';

/** What is chosen of all that was not synced: nothing of it, all of it, or parts by chance. */
export type Survival = 'synced' | 'all' | { random(below: number): number };

export interface SimulatedDisk {
  readonly disk: Disk;
  /** Fails the n-th call from now that can fail this way; undefined only counts. */
  arm(kind: FaultKind | undefined, nth: number): void;
  /** Calls since `arm` that could have failed so. */
  calls(): number;
  /** Of all calls so far, those that could have failed this way. */
  callsOf(kind: FaultKind): number;
  /** Everything works again, unless it has crashed. */
  disarm(): void;
  crash(): void;
  /** Writes what a power cut now would leave into an empty folder. */
  leaveBehind(target: string, survival: Survival): void;
  dispose(): Promise<void>;
}

interface Content {
  durable: Buffer;
  /** A descriptor of the simulation's own, so that it sees the content whatever becomes of the name. */
  readonly fd: number;
  /** Ranges that a failed sync has dropped: they look written and are not. */
  lost: (readonly [from: number, to: number])[];
  dirty: (readonly [from: number, to: number])[];
}

interface NameChange {
  readonly folders: readonly string[];
  apply(names: Map<string, Content>): void;
}

const failsBy: { readonly [kind in FaultKind]: (call: string) => boolean } = {
  EIO: () => true,
  ENOSPC: (call) => /^(write|writeFile|open new|datasync|link|mkdir)$/.test(call),
  EMFILE: (call) => call.startsWith('open'),
  EACCES: (call) => /^(open|rename|unlink|link|truncate|mkdir)/.test(call),
  short: (call) => call === 'write',
  crash: () => true,
};

export function simulatedDisk(folder: string): SimulatedDisk {
  const names = new Map<string, Content>();
  const durableNames = new Map<string, Content>();
  const pending: NameChange[] = [];
  const all: Content[] = [];
  const handles = new Set<FileHandle>();
  const contents = new WeakMap<FileHandle, Content>();
  let armed: { readonly kind: FaultKind | undefined; readonly nth: number } | undefined;
  let calls = 0;
  const callsByKind = new Map<string, number>();
  let isCrashed = false;

  for (const path of filesUnder(folder)) {
    const content = newContent(path, readFileSync(path));
    names.set(path, content);
    durableNames.set(path, content);
  }

  function newContent(path: string, durable: Buffer): Content {
    const content: Content = { durable, fd: openSync(path, 'r'), lost: [], dirty: [] };
    all.push(content);
    return content;
  }

  /** True where the call is to write less than it was given. */
  function check(call: string): boolean {
    if (isCrashed) throw codeError('EIO');
    for (const [kind, isOne] of Object.entries(failsBy))
      if (isOne(call)) callsByKind.set(kind, (callsByKind.get(kind) ?? 0) + 1);
    if (armed === undefined || !failsBy[armed.kind ?? 'EIO'](call)) return false;
    calls += 1;
    if (calls !== armed.nth || armed.kind === undefined) return false;
    if (armed.kind === 'short') return true;
    if (armed.kind === 'crash') isCrashed = true;
    throw codeError(armed.kind === 'crash' ? 'EIO' : armed.kind);
  }

  function change(folders: readonly string[], apply: (names: Map<string, Content>) => void): void {
    apply(names);
    pending.push({ folders, apply });
  }

  function syncNames(path: string): void {
    for (const each of pending.filter(({ folders }) => folders.includes(path))) {
      each.apply(durableNames);
      pending.splice(pending.indexOf(each), 1);
    }
  }

  function written(content: Content | undefined, from: number, to: number): void {
    if (content === undefined) return;
    content.dirty.push([from, to]);
    content.lost = content.lost.flatMap(([start, end]) =>
      (
        [
          [start, Math.min(end, from)],
          [Math.max(start, to), end],
        ] as const
      ).filter(([left, right]) => left < right),
    );
  }

  function synced(content: Content, isDone: boolean): void {
    if (!isDone) {
      content.lost.push(...content.dirty);
      content.dirty = [];
      return;
    }
    const before = content.durable;
    const now = Buffer.from(readAll(content.fd));
    for (const [from, to] of content.lost) {
      for (let at = from; at < Math.min(to, now.length); at += 1) now[at] = before[at] ?? 0;
    }
    content.durable = now;
    content.dirty = [];
  }

  function wrap(file: FileHandle, path: string): FileHandle {
    const { fd } = file;
    const wrapped = new Proxy(file, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          const content = contents.get(wrapped);
          if (name === 'close') {
            handles.delete(file);
            return file.close();
          }
          if (name === 'write') {
            const [bytes, offset = 0, length = 0, position] = given as [Buffer, number?, number?, number?];
            const count = check('write') ? Math.ceil(length / 2) : length;
            const at = position ?? fstatSync(fd).size;
            const result = await file.write(bytes, offset, count, position);
            written(content, at, at + count);
            return result;
          }
          try {
            check(String(name));
          } catch (error) {
            if (name === 'datasync' && content !== undefined && !isCrashed) synced(content, false);
            throw error;
          }
          if (name === 'writeFile') {
            const at = fstatSync(fd).size;
            await (Reflect.apply(value, target, given) as Promise<void>);
            return written(content, at, fstatSync(fd).size);
          }
          if (name === 'truncate') {
            await file.truncate(Number(given[0]));
            return written(content, Number(given[0]), Number(given[0]));
          }
          if (name === 'datasync' || name === 'sync') {
            // The real disk need not be waited for: what counts is what would be there.
            if (content === undefined) syncNames(path);
            else synced(content, true);
            return;
          }
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
    handles.add(file);
    return wrapped;
  }

  const disk: Disk = {
    ...nodeDisk,
    async open(path, flags, mode) {
      const target = String(path);
      const isNew = statSync(target, { throwIfNoEntry: false }) === undefined;
      check(isNew ? 'open new' : 'open');
      const file = await nodeDisk.open(target, flags, mode);
      const wrapped = wrap(file, target);
      if (fstatSync(file.fd).isDirectory()) return wrapped;
      let content = names.get(target);
      if (content === undefined) {
        const made = newContent(target, Buffer.alloc(0));
        content = made;
        change([dirname(target)], (map) => map.set(target, made));
      }
      contents.set(wrapped, content);
      return wrapped;
    },
    async rename(from, to) {
      check('rename');
      await nodeDisk.rename(from, to);
      const [source, target] = [String(from), String(to)];
      const content = names.get(source);
      if (content === undefined) return;
      change([dirname(source), dirname(target)], (map) => {
        map.set(target, content);
        map.delete(source);
      });
    },
    async link(from, to) {
      check('link');
      await nodeDisk.link(from, to);
      const content = names.get(String(from));
      if (content !== undefined) change([dirname(String(to))], (map) => map.set(String(to), content));
    },
    async unlink(path) {
      check('unlink');
      await nodeDisk.unlink(path);
      change([dirname(String(path))], (map) => map.delete(String(path)));
    },
    mkdir: (async (path: string, options: { recursive: true }) => {
      check('mkdir');
      return nodeDisk.mkdir(path, options);
    }) as Disk['mkdir'],
    writeNow(file, bytes, position) {
      const isShort = check('write');
      const at = position ?? fstatSync(file.fd).size;
      const given = isShort ? bytes.subarray(0, Math.ceil(bytes.length / 2)) : bytes;
      const count = nodeDisk.writeNow(file, given, position);
      written(contents.get(file), at, at + count);
      return count;
    },
    measureNow(file) {
      check('measure');
      return nodeDisk.measureNow(file);
    },
    statNow(path) {
      check('stat');
      return nodeDisk.statNow(path);
    },
  };

  return {
    disk,
    arm(kind, nth) {
      armed = { kind, nth };
      calls = 0;
    },
    calls: () => calls,
    callsOf: (kind) => callsByKind.get(kind) ?? 0,
    disarm() {
      armed = undefined;
    },
    crash() {
      isCrashed = true;
    },
    leaveBehind(target, survival) {
      const left = new Map(durableNames);
      // A journal of names keeps their order: what survives of it is a beginning.
      const kept =
        survival === 'synced' ? 0 : survival === 'all' ? pending.length : survival.random(pending.length + 1);
      for (const each of pending.slice(0, kept)) each.apply(left);
      for (const [path, content] of left) {
        const copy = join(target, relative(folder, path));
        if (/^lock/.test(relative(join(folder, '.holdfast'), path))) continue;
        mkdirSync(dirname(copy), { recursive: true });
        writeFileSync(copy, contentLeft(content, survival));
      }
    },
    async dispose() {
      for (const file of handles) await file.close();
      for (const { fd } of all) closeSync(fd);
    },
  };
}

function contentLeft(content: Content, survival: Survival): Buffer {
  if (survival === 'synced') return content.durable;
  const now = readAll(content.fd);
  if (survival === 'all') return now;
  let left = Buffer.from(content.durable);
  for (const [from, to] of content.dirty) {
    const end = Math.min(now.length, from + survival.random(to - from + 1));
    if (end <= from) continue;
    if (left.length < end) left = Buffer.concat([left, Buffer.alloc(end - left.length)]);
    now.copy(left, from, from, end);
  }
  return left;
}

function readAll(fd: number): Buffer {
  const { size } = fstatSync(fd);
  const all = Buffer.alloc(size);
  for (let filled = 0; filled < size; ) {
    const count = readSync(fd, all, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return all;
}

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesUnder(join(folder, entry.name)) : [join(folder, entry.name)],
  );
}
