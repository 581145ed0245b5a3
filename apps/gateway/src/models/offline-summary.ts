const MOST_LINES = 30;
const LONGEST_LINE = 160;
const HEADING =
  'Said in this session before, by the person (kept word for word by the offline model, which understands none of it):';

/**
 * What the offline model answers when it is told to write a summary: the person's own words, shortened, the newest
 * last. `request` holds the memory so far and the older part, as lines of "Person: …".
 */
export function offlineSummary(request: string): string {
  const lines = request.split('\n').flatMap((line) => {
    const said = /^(?:Person: |user: |- )(.+)$/.exec(line)?.[1]?.trim() ?? '';
    return said === '' ? [] : [shortened(said)];
  });
  const newest = lines.slice(-MOST_LINES);
  if (newest.length === 0) return 'Nothing that the person said in words.';
  const left = lines.length - newest.length;
  return [
    HEADING,
    ...(left === 0 ? [] : [`(${left} earlier ones are left out)`]),
    ...newest.map((line) => `- ${line}`),
  ].join('\n');
}

function shortened(line: string): string {
  const points = [...line];
  return points.length <= LONGEST_LINE ? line : `${points.slice(0, LONGEST_LINE - 1).join('')}…`;
}
