import { type MutableRef, useEffect, useRef } from 'preact/hooks';

/** Within this many pixels of the end one reads along. */
export const atEndPx = 48;

/**
 * Keeps the end in view while one reads along: whatever grows, in the list or around it, a streamed word, a longer
 * draft, a phone's keyboard. Scrolling up lets go; coming back to the end, or calling the returned function, takes
 * hold again.
 */
export function useEndPin(scroller: MutableRef<HTMLDivElement | null>): () => void {
  const isPinned = useRef(true);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    let lastTop = element.scrollTop;
    const follow = () => {
      if (isPinned.current) element.scrollTop = element.scrollHeight;
    };
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element;
      // What grows below moves the end away without moving the reader: only the reader moves up.
      if (scrollHeight - scrollTop - clientHeight <= atEndPx) isPinned.current = true;
      else if (scrollTop < lastTop) isPinned.current = false;
      lastTop = scrollTop;
    };
    const observer = new ResizeObserver(follow);
    observer.observe(element);
    if (element.firstElementChild) observer.observe(element.firstElementChild);
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', onScroll);
    };
  }, [scroller]);
  return () => {
    isPinned.current = true;
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  };
}
