const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  hellip: '…',
  mdash: '—',
  ndash: '–',
};
const BLOCKS = new Set(
  'p div section article header footer main nav aside ul ol li table tr h1 h2 h3 h4 h5 h6 blockquote pre br hr dd dt body title'.split(
    ' ',
  ),
);
/** Elements whose content is no text of the page. */
const UNREAD = new Set(['script', 'style', 'noscript', 'template', 'svg']);
const LONGEST_TITLE = 500;

export interface PageText {
  readonly title: string;
  readonly text: string;
}

/**
 * The words of an HTML page, one block a line. Rough on purpose: it is read by a model. Goes over the page once,
 * whatever is in it. Pure.
 */
export function pageText(html: string): PageText {
  const lower = html.toLowerCase();
  const words: string[] = [];
  let title = '';
  let at = 0;
  for (;;) {
    const opening = html.indexOf('<', at);
    words.push(html.slice(at, opening < 0 ? undefined : opening));
    if (opening < 0) break;
    const [, slash, name = ''] =
      /^<(\/?)([a-z][a-z0-9]*|!--|[!?])/.exec(lower.slice(opening, opening + 24)) ?? [];
    if (name === '') {
      words.push('<');
      at = opening + 1;
      continue;
    }
    const closing = name === '!--' ? end(html, '-->', opening + 4) : end(html, '>', opening + 1);
    const isUnread = slash === '' && UNREAD.has(name);
    const content =
      slash === '' && (isUnread || name === 'title') ? lower.indexOf(`</${name}`, closing) : closing;
    if (name === 'title' && title === '' && content >= 0)
      title = html.slice(closing, content).slice(0, LONGEST_TITLE);
    if (BLOCKS.has(name)) words.push('\n');
    at = content < 0 ? html.length : content;
  }
  return { title: tidy(decoded(title)), text: tidy(decoded(words.join(''))) };
}

/** Behind the next of these; the end of the page where there is none. */
function end(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at < 0 ? html.length : at + mark.length;
}

function decoded(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));/gi,
    (whole: string, decimal?: string, hexadecimal?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
      const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff)
        ? String.fromCodePoint(code)
        : ' ';
    },
  );
}

function tidy(text: string): string {
  return text
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line, index, lines) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim();
}
