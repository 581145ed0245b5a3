/** Characters that close an open fence, with the line break before them. */
const FENCE_LINE = /^( {0,3})(`{3,}|~{3,})(.*)$/;

interface Fence {
  /** The line that opened it. */
  readonly opening: string;
  readonly mark: string;
}

/**
 * Cuts a text into pieces of at most `limit` UTF-16 units, at the widest break that is near: paragraph, line, sentence,
 * word. A code fence that a cut goes through is closed before it and opened again after it, so that each piece is
 * valid alone; but for these lines, and white space at a cut outside of code, the pieces are the text. No surrogate
 * pair is cut. (shown by: pieces fit, are valid alone, and together are the text)
 */
export function chunkMarkdown(text: string, limit: number): string[] {
  if (limit < 16) throw new RangeError(`A limit of ${limit} is too small for pieces of Markdown.`);
  const pieces: string[] = [];
  let rest = text;
  let fence: Fence | undefined;
  while (rest.trim() !== '') {
    const head = reopening(fence, limit);
    if (head.length + rest.length <= limit) {
      pieces.push(head + rest);
      break;
    }
    const { body, after, open } = cut(rest, limit, head.length, fence);
    if (body.trim() !== '') pieces.push(`${head}${body}${open === undefined ? '' : closing(body, open)}`);
    rest = after;
    fence = open;
  }
  return pieces;
}

/** The line that opens a fence anew; without its info string where that would take half of a piece. */
function reopening(fence: Fence | undefined, limit: number): string {
  if (fence === undefined) return '';
  return fence.opening.length * 2 < limit ? `${fence.opening}\n` : `${fence.mark}\n`;
}

function closing(body: string, { mark }: Fence): string {
  return body.endsWith('\n') || body === '' ? mark : `\n${mark}`;
}

function cut(text: string, limit: number, used: number, fence: Fence | undefined) {
  let room = limit - used;
  for (;;) {
    const at = breakBefore(text, room, fence);
    const body = text.slice(0, at);
    const open = fenceAfter(body, fence);
    const closingLength = open === undefined ? 0 : closing(body, open).length;
    if (used + body.length + closingLength <= limit || room <= 1) {
      const after = text.slice(at);
      // White space at a cut says nothing, but in code it is code.
      if (open === undefined) return { body: body.trimEnd(), after: after.replace(/^\s+/, ''), open };
      return { body: body.replace(/\n$/, ''), after: after.replace(/^\n/, ''), open };
    }
    room = Math.max(1, at - (used + body.length + closingLength - limit));
  }
}

/** Where to cut so that at most `room` units come before. */
function breakBefore(text: string, room: number, fence: Fence | undefined): number {
  const window = text.slice(0, room);
  const least = Math.floor(room / 3);
  const candidates = fenceAfter(window, fence) === undefined ? ['\n\n', '\n', '. ', ' '] : ['\n'];
  for (const mark of candidates) {
    const at = window.lastIndexOf(mark);
    if (at + mark.length > least && at >= 0) return at + mark.length;
  }
  // Never between the halves of a character.
  const last = window.charCodeAt(room - 1);
  return last >= 0xd800 && last <= 0xdbff && room > 1 ? room - 1 : room;
}

/** The fence that is open at the end of a text; `fence` is the one open at its beginning. */
function fenceAfter(text: string, fence: Fence | undefined): Fence | undefined {
  let open = fence;
  for (const line of text.split('\n')) {
    const [, , mark = '', info = ''] = FENCE_LINE.exec(line) ?? [];
    if (mark === '') continue;
    if (open === undefined) {
      if (!(mark.startsWith('`') && info.includes('`'))) open = { opening: line.trimStart(), mark };
    } else if (mark.startsWith(open.mark) && info.trim() === '') open = undefined;
  }
  return open;
}
