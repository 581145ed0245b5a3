/**
 * Gathers calls and runs them together before the next paint, so that a fast answer costs one rendering a frame.
 * A hidden page gets no frames: there a timer takes their place.
 */
export function createFrameBatch<T>(run: (batch: readonly T[]) => void): (value: T) => void {
  let batch: T[] = [];
  const flush = () => {
    const ready = batch;
    batch = [];
    if (ready.length > 0) run(ready);
  };
  return (value) => {
    batch.push(value);
    if (batch.length > 1) return;
    if (document.hidden) setTimeout(flush, 200);
    else {
      // A page hidden between the two gets the timer's turn.
      const timer = setTimeout(flush, 200);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        flush();
      });
    }
  };
}
