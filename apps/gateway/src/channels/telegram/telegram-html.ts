import { marked, type Token, type Tokens } from 'marked';

/**
 * Markdown in the few tags that Telegram knows. What it has no tag for (headings, tables, rules) keeps its words. Text
 * is always escaped: nothing that a person or a model writes becomes a tag. (shown by: nothing becomes a tag that was not Markdown)
 */
export function telegramHtml(markdown: string): string {
  return blocks(marked.lexer(markdown)).trim();
}

function blocks(tokens: readonly Token[], indent = ''): string {
  return tokens.map((token) => block(token, indent)).join('');
}

function block(token: Token, indent: string): string {
  switch (token.type) {
    case 'space':
      return '';
    case 'heading':
      return `<b>${inline(token.tokens)}</b>\n\n`;
    case 'code': {
      const language = /^[\w+#.-]+/.exec(token.lang ?? '')?.[0];
      const code = escaped(token.text);
      return language === undefined
        ? `<pre>${code}</pre>\n\n`
        : `<pre><code class="language-${escaped(language)}">${code}</code></pre>\n\n`;
    }
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens ?? []).trim()}</blockquote>\n\n`;
    case 'list':
      return `${list(token as Tokens.List, indent)}${indent === '' ? '\n' : ''}`;
    case 'paragraph':
    case 'text':
      return `${inline(token.tokens ?? [token])}${token.type === 'paragraph' ? '\n\n' : '\n'}`;
    case 'hr':
      return '———\n\n';
    default:
      return `${escaped(token.raw.trim())}\n\n`;
  }
}

function list({ ordered, start, items }: Tokens.List, indent: string): string {
  return items
    .map((item, index) => {
      const mark = ordered ? `${Number(start === '' ? 1 : start) + index}.` : '•';
      const tick = item.task ? (item.checked ? '☑ ' : '☐ ') : '';
      return `${indent}${mark} ${tick}${blocks(item.tokens, `${indent}  `).trim()}\n`;
    })
    .join('');
}

function inline(tokens: readonly Token[] | undefined): string {
  return (tokens ?? [])
    .map((token): string => {
      switch (token.type) {
        case 'strong':
          return `<b>${inline(token.tokens)}</b>`;
        case 'em':
          return `<i>${inline(token.tokens)}</i>`;
        case 'del':
          return `<s>${inline(token.tokens)}</s>`;
        case 'codespan':
          return `<code>${escaped(token.text)}</code>`;
        case 'br':
          return '\n';
        case 'link':
        case 'image':
          return link(token.href, token.type === 'link' ? inline(token.tokens) : escaped(token.text));
        case 'escape':
          return escaped(token.text);
        case 'text':
          return token.tokens === undefined ? escaped(token.raw) : inline(token.tokens);
        default:
          return escaped(token.raw);
      }
    })
    .join('');
}

function link(href: string, words: string): string {
  return /^(?:https?|tg|mailto):/i.test(href)
    ? `<a href="${escaped(href)}">${words === '' ? escaped(href) : words}</a>`
    : words;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
