import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that components can watch. Values are replaced, never changed in place. */
export interface Cell<T> {
  get(): T;
  set(next: T): void;
  update(change: (current: T) => T): void;
  /** Calls back after each change; returns the way to stop. */
  subscribe(listener: () => void): () => void;
}

export function createCell<T>(initial: T): Cell<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  const cell: Cell<T> = {
    get: () => current,
    set(next) {
      if (Object.is(next, current)) return;
      current = next;
      for (const listener of [...listeners]) listener();
    },
    update: (change) => cell.set(change(current)),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return cell;
}

/** The cell's value, and a new rendering of the component whenever it changes. */
export function useCell<T>(cell: Cell<T>): T {
  const [, render] = useState({});
  useLayoutEffect(() => {
    const seen = cell.get();
    const stop = cell.subscribe(() => render({}));
    if (!Object.is(seen, cell.get())) render({});
    return stop;
  }, [cell]);
  return cell.get();
}
