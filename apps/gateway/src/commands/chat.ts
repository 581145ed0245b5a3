import { createInterface } from 'node:readline';
import type { Conversation } from './conversation.js';
import { printable } from './printable.js';

const HINT = 'Type a message and press Enter. Ctrl-C stops an answer, Ctrl-D leaves.\n';

/** Says one thing and shows the answer. Resolves to false where it did not end well. */
export async function sayOnce(conversation: Conversation, text: string): Promise<boolean> {
  let hasSpoken = false;
  let endsInNewline = true;
  const { reply, failure } = await conversation.say(text, {
    token(piece) {
      hasSpoken = true;
      endsInNewline = piece.endsWith('\n');
      process.stdout.write(printable(piece));
    },
    tool(name, phase) {
      if (phase === 'start') process.stderr.write(`[${name}]\n`);
      if (phase === 'failed' || phase === 'skipped') process.stderr.write(`[${name} ${phase}]\n`);
    },
    note(words) {
      process.stderr.write(`[${printable(words)}]\n`);
    },
  });
  if (!hasSpoken && failure === undefined) {
    process.stdout.write(printable(reply));
    endsInNewline = reply.endsWith('\n');
  }
  if (!endsInNewline) process.stdout.write('\n');
  if (failure !== undefined) process.stderr.write(`${failure}\n`);
  return failure === undefined;
}

/**
 * One message after the other, from a person at a terminal or from the lines of standard input. Resolves to false
 * where any did not end well.
 */
export async function converse(conversation: Conversation): Promise<boolean> {
  const isTerminal = process.stdin.isTTY === true && process.stderr.isTTY === true;
  const lines = createInterface({
    input: process.stdin,
    ...(isTerminal ? { output: process.stderr, prompt: '> ' } : {}),
  });
  let isAnswering = false;
  let allWell = true;
  if (isTerminal) {
    process.stderr.write(HINT);
    lines.on('SIGINT', () => (isAnswering ? conversation.stop() : lines.close()));
    lines.prompt();
  }
  for await (const line of lines) {
    if (line.trim() !== '') {
      isAnswering = true;
      allWell = (await sayOnce(conversation, line)) && allWell;
      isAnswering = false;
    }
    if (isTerminal) lines.prompt();
  }
  return allWell;
}
