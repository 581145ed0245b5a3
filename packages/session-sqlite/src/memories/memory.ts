import { wellFormed } from '../stored-text.js';

/** Whose memory it is: what one agent keeps of a person, or of a conversation. */
export interface MemoryOwner {
  readonly agentId: string;
  /** A name that the caller gives each person or conversation; never empty. */
  readonly subject: string;
}

/** Something an agent keeps for good, across sessions. */
export interface Memory extends MemoryOwner {
  /** Never given twice. */
  readonly id: number;
  readonly text: string;
  /** The session in which it was said; absent where it was written by hand. */
  readonly sessionKey?: string;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** In UTF-16 units. */
export const longestMemory = 4000;
export const memoriesPerOwner = 1000;

export type MemoryErrorCode = 'MemoryEmpty' | 'MemoryTooLong' | 'MemoriesFull' | 'MemoryNotFound';

/** Why something was not kept or changed: nothing was, then. */
export class MemoryError extends Error {
  readonly code: MemoryErrorCode;

  constructor(code: MemoryErrorCode, message: string) {
    super(message);
    this.name = 'MemoryError';
    this.code = code;
  }
}

/** The text as it is kept: without blanks around it, and without what a database cannot hold. */
export function memoryText(text: string): string {
  const kept = wellFormed(text.trim()).replaceAll('\u0000', '\ufffd');
  if (kept === '') throw new MemoryError('MemoryEmpty', 'There is nothing to keep: the text is empty.');
  if (kept.length > longestMemory) {
    throw new MemoryError(
      'MemoryTooLong',
      `The text has ${kept.length} characters; at most ${longestMemory} are kept. Say it shorter, or in several.`,
    );
  }
  return kept;
}

export function notFound(id: number): MemoryError {
  return new MemoryError('MemoryNotFound', `There is no memory ${id}.`);
}
