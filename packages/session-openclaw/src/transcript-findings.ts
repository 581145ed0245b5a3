import { type Finding, type FindingCode, finding } from './finding.js';
import { decodeMessage, isMessage } from './message-entry.js';
import type { Transcript } from './transcript.js';

/** What in a transcript needed judgement. `path` is where it lies, `key` its session. */
export function transcriptFindings(key: string, path: string, transcript: Transcript): readonly Finding[] {
  const found: Finding[] = [];
  const add = (code: FindingCode, message: string, line?: number) =>
    void found.push(finding(code, path, message, { key, ...(line === undefined ? {} : { line }) }));
  const { version, header, branch, entries, damaged, orphaned, lines, isEnded } = transcript;
  for (const line of damaged) {
    const isTorn = line === lines.length - 1 && !isEnded;
    add(
      'damaged-line',
      `${path}, line ${line + 1}: ${isTorn ? 'torn at its end' : 'no entry'}; not read.`,
      line + 1,
    );
  }
  for (const id of orphaned)
    add('parent-missing', `${path}: what entry ${id} follows is not there; it follows the line above it.`);
  if (header === undefined && lines.length > 0) add('no-header', `${path} begins without its header.`);
  if (version < 3) add('older-version', `${path} is of version ${version}.`);
  if (entries.length === 0 && damaged.length === 0 && header !== undefined)
    add('header-only', `${path} holds nothing but its header.`);
  const spoken = branch.filter(isMessage).length;
  const aside = entries.filter(isMessage).length - spoken;
  if (aside > 0)
    add('branches', `${path}: ${aside} messages are not on the branch in use; they are kept and not shown.`);
  const asked = unansweredCalls(branch);
  if (asked.length > 0) add('unanswered-call', `${path}: the calls ${asked.join(', ')} were never answered.`);
  return found;
}

function unansweredCalls(branch: Transcript['branch']): readonly string[] {
  const open = new Set<string>();
  for (const entry of branch.filter(isMessage)) {
    const { toolCalls = [], toolCallId = '' } = decodeMessage(entry.value, '');
    for (const { id } of toolCalls) open.add(id);
    open.delete(toolCallId);
  }
  return [...open];
}
