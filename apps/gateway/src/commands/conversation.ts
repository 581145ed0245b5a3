/** What a terminal shows of an answer while it comes. */
export interface Listener {
  token(text: string): void;
  tool(name: string, phase: string): void;
  /** Something beside the answer, in a few words. */
  note(words: string): void;
}

export interface Ending {
  readonly reply: string;
  /** Where it did not end well: a sentence. */
  readonly failure?: string;
}

/** A turn within the turn, as a terminal tells it. */
export function subTurnNote(event: {
  readonly phase: string;
  readonly task?: string | undefined;
  readonly status?: string | undefined;
}): string {
  return `helper ${event.phase}: ${event.task ?? event.status ?? ''}`;
}

/** One session spoken to from here, wherever its gateway runs. */
export interface Conversation {
  say(text: string, listener: Listener): Promise<Ending>;
  /** Ends the answer that is coming. */
  stop(): void;
  close(): Promise<void>;
}
