import type { FileHandle } from 'node:fs/promises';
import { type Disk, nodeDisk } from '../src/disk.js';

/** What is called, on which path. Return an error to make the call fail. */
export type Judge = (call: string, path: string) => Error | undefined;

export function codeError(code: string): Error {
  return Object.assign(new Error(`${code}: made by the test`), { code });
}

/** The real disk, where `judge` may make any call fail before it does anything. */
export function failingDisk(judge: Judge): Disk {
  const paths = new WeakMap<FileHandle, string>();

  function check(call: string, path: string): void {
    const error = judge(call, path);
    if (error !== undefined) throw error;
  }
  function wrap(file: FileHandle, path: string): FileHandle {
    const wrapped = new Proxy(file, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => {
          if (name !== 'close') check(String(name), path);
          return Reflect.apply(value, target, given) as unknown;
        };
      },
    });
    paths.set(wrapped, path);
    return wrapped;
  }
  return {
    ...nodeDisk,
    async open(path, flags, mode) {
      check('open', String(path));
      return wrap(await nodeDisk.open(path, flags, mode), String(path));
    },
    async rename(from, to) {
      check('rename', String(to));
      return nodeDisk.rename(from, to);
    },
    async unlink(path) {
      check('unlink', String(path));
      return nodeDisk.unlink(path);
    },
    mkdir: (async (path: string, options: { recursive: true }) => {
      check('mkdir', path);
      return nodeDisk.mkdir(path, options);
    }) as Disk['mkdir'],
    writeNow(file, bytes, position) {
      check('write', paths.get(file) ?? '');
      return nodeDisk.writeNow(file, bytes, position);
    },
  };
}
