import { type Cell, createCell } from './cell.js';

/** A short word about what was done, with the way to undo it where there is one. */
export interface Toast {
  readonly text: string;
  readonly undo?: () => void;
}

export interface Toasts {
  readonly cell: Cell<Toast | undefined>;
  show(toast: Toast): void;
  dismiss(): void;
}

const shownMs = 8_000;

export function createToasts(): Toasts {
  const cell = createCell<Toast | undefined>(undefined);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const dismiss = () => {
    clearTimeout(timer);
    cell.set(undefined);
  };
  return {
    cell,
    dismiss,
    show(toast) {
      dismiss();
      cell.set(toast);
      timer = setTimeout(dismiss, shownMs);
    },
  };
}
