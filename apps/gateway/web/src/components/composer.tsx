import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useCell } from '../state/cell.js';
import { keepDraft, readDraft } from '../state/drafts.js';
import { Icon } from './icon.js';
import { usePage } from './page-context.js';

export const composerFieldId = 'composer';

/** Where one writes. The draft of each conversation is kept as it is typed. */
export function Composer({ running }: { running: boolean }) {
  const page = usePage();
  const { target, phase } = useCell(page.conversation.cell);
  const connection = useCell(page.connection);
  const draftName = phase === 'new' ? 'new' : target;
  const [text, setText] = useState(() => readDraft(draftName));
  const field = useRef<HTMLTextAreaElement>(null);

  // The height follows the text.
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = 'auto';
    element.style.height = `${element.scrollHeight}px`;
  }, [text]);

  useEffect(() => {
    // On a phone the keyboard would cover the conversation that was just opened.
    if (matchMedia('(hover: hover)').matches) field.current?.focus({ preventScroll: true });
  }, []);

  const lost = connection === 'lost';
  const empty = text.trim() === '';

  function change(next: string): void {
    setText(next);
    keepDraft(draftName, next);
  }

  function send(): void {
    if (empty || lost) return;
    page.send(text.trim());
    change('');
    field.current?.focus();
  }

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div class="composer-box">
        <textarea
          id={composerFieldId}
          ref={field}
          rows={1}
          value={text}
          placeholder="Write a message"
          aria-label="Message"
          aria-describedby="composer-hint"
          enterkeyhint="send"
          onInput={(event) => change(event.currentTarget.value)}
          onKeyDown={(event) => {
            // While an input method composes, Enter chooses a word; Safari reports it as key code 229.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing || event.keyCode === 229) return;
            event.preventDefault();
            send();
          }}
        />
        {running && (
          <button
            type="button"
            class="round-button"
            aria-label="Stop the answer"
            title="Stop the answer (Esc)"
            onClick={() => void page.stop(target)}
          >
            <Icon name="stop" />
          </button>
        )}
        <button
          type="submit"
          class="round-button round-button-primary"
          aria-label="Send"
          title="Send (Enter)"
          disabled={empty || lost}
        >
          <Icon name="send" />
        </button>
      </div>
      <p id="composer-hint" class="composer-hint">
        {lost
          ? 'Not connected: what you write is kept as a draft.'
          : 'Enter sends, Shift+Enter begins a new line.'}
      </p>
    </form>
  );
}
