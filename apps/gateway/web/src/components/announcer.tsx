import { useEffect, useRef, useState } from 'preact/hooks';
import type { Conversation } from '../state/conversation.js';
import { newestSeq, type Timeline } from '../state/timeline.js';
import { messageText } from '../text/message-text.js';

/**
 * Reads finished messages to a screen reader, each once. The rows themselves do not: they come and go with
 * scrolling, and tokens would be read one by one.
 */
export function Announcer(props: { view: number; phase: Conversation['phase']; timeline: Timeline }) {
  const { view, phase, timeline } = props;
  const heard = useRef({ view: -1, phase, seq: 0 });
  const [text, setText] = useState('');
  useEffect(() => {
    const newest = newestSeq(timeline);
    const before = heard.current;
    heard.current = { view, phase, seq: newest };
    if (before.view !== view || before.phase === 'loading') {
      // What was there on opening is history, not news.
      setText('');
      return;
    }
    const last = timeline.messages.at(-1);
    if (last?.role === 'assistant' && newest > before.seq) setText(messageText(last).slice(0, 2_000));
  }, [view, phase, timeline]);
  return (
    <div class="hidden" aria-live="polite">
      {text}
    </div>
  );
}
