/** A turn that runs, or ran when the process died. */
export interface OpenTurn {
  readonly turnId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly inputId: string;
  readonly startedAt: string;
  /** What of the current step's answer has been shown, under the id that its message will have. */
  readonly partial?: PartialAnswer;
}

export interface PartialAnswer {
  readonly messageId: string;
  readonly text: string;
}

/**
 * Remembers running turns outside the history, so that what a person saw before the process died is not lost.
 * What it holds must survive the death of the process, not a power cut: after that the history alone is healed.
 */
export interface TurnJournal {
  begin(turn: OpenTurn): Promise<void>;
  /** Called for every piece of text; the journal itself decides how often it writes. Never throws. */
  progress(turnId: string, partial: PartialAnswer): void;
  /** Forgets the turn; one that is not known is no error. */
  end(turnId: string): Promise<void>;
  /** Those that began and did not end, oldest first. */
  open(): Promise<readonly OpenTurn[]>;
}
