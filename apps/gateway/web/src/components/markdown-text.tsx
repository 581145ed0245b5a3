import { markdownBlocks, markdownTokens } from '../text/markdown.js';
import { markdownNodes } from './markdown-nodes.js';
import { memo } from './memo.js';

/** A text in Markdown. Blocks already written are left alone while the last one grows. */
export function MarkdownText({ text }: { text: string }) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the click is caught for the copy buttons inside.
    // biome-ignore lint/a11y/useKeyWithClickEvents: they are buttons, which the keyboard clicks as well.
    <div class="prose" onClick={copyCode}>
      {markdownBlocks(text).map((block, at) => (
        // By place: a growing text changes at its end only.
        <Block key={at} text={block} />
      ))}
    </div>
  );
}

const Block = memo(({ text }: { text: string }) => (
  <div class="prose-block">{markdownNodes(markdownTokens(text))}</div>
));

async function copyCode(event: MouseEvent): Promise<void> {
  const button = event.target instanceof Element ? event.target.closest('.code-copy') : null;
  if (!button) return;
  await copyText(button.closest('.code')?.querySelector('pre')?.textContent ?? '');
  button.textContent = 'Copied';
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 1_500);
}

/** Puts a text on the clipboard, also where the page is not reached securely and the modern way is barred. */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return;
  }
  const holder = document.createElement('textarea');
  holder.value = text;
  document.body.append(holder);
  holder.select();
  document.execCommand('copy');
  holder.remove();
}
