/** What a terminal shows of an answer while it comes. */
export interface Listener {
  token(text: string): void;
  tool(name: string, phase: 'start' | 'end' | 'failed'): void;
}

export interface Ending {
  readonly reply: string;
  /** Where it did not end well: a sentence. */
  readonly failure?: string;
}

/** One session spoken to from here, wherever its gateway runs. */
export interface Conversation {
  say(text: string, listener: Listener): Promise<Ending>;
  /** Ends the answer that is coming. */
  stop(): void;
  close(): Promise<void>;
}
