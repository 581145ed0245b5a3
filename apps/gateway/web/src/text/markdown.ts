import { Marked, type Tokens } from 'marked';

/** A piece of a text, as the library of Markdown sees it: what fields it has depends on its `type`. */
export type MarkdownToken = Tokens.Generic;

const marked = new Marked({ gfm: true, breaks: true });

/** Splits a text into blocks that are read one by one, so that those already written stay as they are. */
export function markdownBlocks(text: string): string[] {
  return marked.lexer(text).flatMap((token) => (token.type === 'space' ? [] : token.raw));
}

export function markdownTokens(text: string): MarkdownToken[] {
  return marked.lexer(text) as MarkdownToken[];
}

/** The address as a link may have it; undefined for one that a browser would run, or that leads nowhere. */
export function safeAddress(address: string): string | undefined {
  return /^(?:https?:|mailto:|tel:)/i.test(address) ? address : undefined;
}

/** `&amp;` and its like as the characters they stand for. A text area holds text and nothing else. */
export function decoded(text: string): string {
  if (!/&[#\w]+;/.test(text)) return text;
  const area = document.createElement('textarea');
  area.innerHTML = text;
  return area.value;
}
