import type { ComponentChild } from 'preact';
import { decoded, type MarkdownToken, safeAddress } from '../text/markdown.js';

/**
 * The tokens of a text as elements. What a token says becomes text or one of the elements named here, and nothing
 * else: there is no way for a text to bring an element, an attribute or a handler of its own.
 */
export function markdownNodes(tokens: readonly MarkdownToken[] = []): ComponentChild[] {
  const nodes: ComponentChild[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] as MarkdownToken;
    const tag =
      token.type === 'html' ? /^<(b|i|u|s|mark|sub|sup|kbd|small)\s*>$/i.exec(token.raw)?.[1] : undefined;
    const end =
      tag === undefined ? -1 : tokens.findIndex(({ raw }, place) => place > at && raw === `</${tag}>`);
    if (tag !== undefined && end > 0) {
      const Tag = tag.toLowerCase() as 'b';
      nodes.push(<Tag>{markdownNodes(tokens.slice(at + 1, end))}</Tag>);
      at = end;
    } else nodes.push(node(token));
  }
  return nodes;
}

function node(token: MarkdownToken): ComponentChild {
  const inner = () => markdownNodes(token.tokens);
  switch (token.type) {
    case 'heading': {
      const Tag = `h${token.depth}` as 'h1';
      return <Tag>{inner()}</Tag>;
    }
    case 'paragraph':
      return <p>{inner()}</p>;
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>;
    case 'strong':
    case 'em':
    case 'del': {
      const Tag = token.type as 'em';
      return <Tag>{inner()}</Tag>;
    }
    case 'codespan':
      return <code>{token.text}</code>;
    case 'code':
      return <Code text={token.text} language={/^[\w+#.-]+/.exec(token.lang ?? '')?.[0] ?? 'code'} />;
    case 'list': {
      const items = token.items.map((each: MarkdownToken) => <li>{markdownNodes(each.tokens)}</li>);
      return token.ordered ? <ol start={token.start}>{items}</ol> : <ul>{items}</ul>;
    }
    case 'checkbox':
      return token.checked ? '☑ ' : '☐ ';
    case 'table':
      return <Table token={token} />;
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'link':
      return <Link address={token.href}>{inner()}</Link>;
    case 'image':
      return <Image token={token} />;
    case 'html':
      return /^<br\s*\/?>\s*$/i.test(token.raw) ? <br /> : token.raw;
    case 'space':
    case 'def':
      return null;
    default:
      return token.tokens ? inner() : decoded(token.text ?? token.raw);
  }
}

function Link({ address, children }: { address: string; children: ComponentChild }) {
  const href = safeAddress(address);
  if (href === undefined) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}

/** An image from elsewhere would tell its server who reads this: it becomes a link that a person may follow. */
function Image({ token }: { token: MarkdownToken }) {
  const text = decoded(token.text) || 'image';
  if (/^data:image\/(?:png|jpeg|gif|webp);/i.test(token.href)) return <img src={token.href} alt={text} />;
  return <Link address={token.href}>{text} (image)</Link>;
}

function Code({ text, language }: { text: string; language: string }) {
  return (
    <div class="code">
      <div class="code-bar">
        <span>{language}</span>
        <button type="button" class="code-copy">
          Copy
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  );
}

/** A wide table scrolls in its frame rather than widening the page. */
function Table({ token }: { token: MarkdownToken }) {
  const cells = (row: readonly MarkdownToken[], Tag: 'th' | 'td') =>
    row.map((cell) => <Tag align={cell.align ?? undefined}>{markdownNodes(cell.tokens)}</Tag>);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, by the keyboard too.
    <div class="table-frame" tabIndex={0}>
      <table>
        <thead>
          <tr>{cells(token.header, 'th')}</tr>
        </thead>
        <tbody>
          {token.rows.map((row: readonly MarkdownToken[]) => (
            <tr>{cells(row, 'td')}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
