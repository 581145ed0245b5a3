import DOMPurify from 'dompurify';
import { Marked } from 'marked';

/** Tags that may be written as HTML, without attributes; every other one is shown as it was written. */
const otherTags = /<(?!\/?(?:br|b|i|u|s|mark|sub|sup|kbd|small|details|summary)\s*\/?>)/gi;

const marked = new Marked({
  gfm: true,
  breaks: true,
  async: false,
  renderer: {
    html: ({ text }) => text.replace(otherTags, '&lt;'),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

/** What may come out, whatever came in: structure and emphasis, nothing that submits, styles or runs. */
const allowedTags = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote', 'ul', 'ol', 'li', 'pre', 'code'],
  ...['strong', 'em', 'b', 'i', 'u', 's', 'del', 'mark', 'sub', 'sup', 'kbd', 'small'],
  ...['a', 'img', 'table', 'thead', 'tbody', 'tr', 'th', 'td', 'details', 'summary'],
];
const allowedAttributes = ['href', 'title', 'src', 'alt', 'align', 'start', 'class'];

/** Splits a text into blocks that are rendered one by one, so that those already written stay as they are. */
export function markdownBlocks(text: string): string[] {
  return marked.lexer(text).flatMap((token) => (token.type === 'space' ? [] : token.raw));
}

const rendered = new Map<string, string>();
const keptRenderings = 500;

/** HTML of one block, safe to put into the page whatever the text contains. */
export function renderMarkdown(text: string): string {
  const known = rendered.get(text);
  if (known !== undefined) return known;
  // A template's content is inert: an image in it is not loaded, so that those from elsewhere never are.
  const template = document.createElement('template');
  template.innerHTML = DOMPurify.sanitize(marked.parse(text, { async: false }), {
    ALLOWED_TAGS: allowedTags,
    ALLOWED_ATTR: allowedAttributes,
    ALLOW_DATA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|tel:|data:image\/(?:png|jpeg|gif|webp);)/i,
  });
  const { content } = template;
  content.querySelectorAll('a').forEach(makeLinkSafe);
  content.querySelectorAll('img').forEach(keepLocalImage);
  content.querySelectorAll('pre').forEach(frameCode);
  content.querySelectorAll('table').forEach(frameTable);
  const html = template.innerHTML;
  if (rendered.size >= keptRenderings) rendered.clear();
  rendered.set(text, html);
  return html;
}

function makeLinkSafe(link: HTMLAnchorElement): void {
  if (!link.hasAttribute('href')) return;
  link.target = '_blank';
  link.rel = 'noopener noreferrer';
}

/** An image from elsewhere would tell its server who reads this: it becomes a link that a person may follow. */
function keepLocalImage(image: HTMLImageElement): void {
  const source = image.getAttribute('src') ?? '';
  if (source.startsWith('data:')) return;
  const text = image.alt || 'image';
  if (source === '') {
    image.replaceWith(text);
    return;
  }
  const link = document.createElement('a');
  link.href = source;
  link.textContent = `${text} (image)`;
  makeLinkSafe(link);
  image.replaceWith(image.closest('a') ? text : link);
}

function frameCode(pre: HTMLPreElement): void {
  const code = pre.querySelector('code');
  const language = /language-([\w+#.-]+)/.exec(code?.className ?? '')?.[1];
  const frame = document.createElement('div');
  frame.className = 'code';
  const bar = document.createElement('div');
  bar.className = 'code-bar';
  const label = document.createElement('span');
  label.textContent = language ?? 'code';
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'code-copy';
  copy.textContent = 'Copy';
  bar.append(label, copy);
  pre.tabIndex = 0;
  pre.replaceWith(frame);
  frame.append(bar, pre);
}

/** A wide table scrolls in its frame rather than widening the page. */
function frameTable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  frame.tabIndex = 0;
  table.replaceWith(frame);
  frame.append(table);
}
