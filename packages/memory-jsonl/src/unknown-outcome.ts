/**
 * Thrown where something failed and could not be taken back: perhaps it has happened, perhaps not. The session takes
 * no more writes, and the next opening of the folder tells.
 */
export class UnknownOutcome extends Error {}
