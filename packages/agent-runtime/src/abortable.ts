/** Settles as `work` does, or rejects with the signal's reason as soon as that aborts; `work` is then left to itself. */
export async function abortable<Value>(work: PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (onAbort !== undefined) signal.removeEventListener('abort', onAbort);
  }
}

export async function abortableDelay(delayMs: number, signal: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  try {
    await abortable(
      new Promise<void>((resolve) => {
        timer = setTimeout(resolve, delayMs);
      }),
      signal,
    );
  } finally {
    clearTimeout(timer);
  }
}
