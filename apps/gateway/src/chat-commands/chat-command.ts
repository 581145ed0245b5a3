/** A message that speaks to the gateway and not to the agent. */
export interface WrittenCommand {
  /** In lower case, without the slash. */
  readonly name: string;
  /** What stands behind it, trimmed. */
  readonly rest: string;
}

/**
 * Reads `/name rest`, also as `/name@bot rest`. A slash anywhere but at the very beginning, or in front of anything
 * but one word, makes no command: `/usr/bin` is text, and a blank in front makes text of anything.
 */
export function parseCommand(text: string): WrittenCommand | undefined {
  const match = /^\/([a-z][a-z0-9_-]{0,31})(?:@[\w-]+)?(?:\s+(.*))?$/is.exec(text.trimEnd());
  const name = match?.[1]?.toLowerCase();
  return name === undefined ? undefined : { name, rest: (match?.[2] ?? '').trim() };
}
