/** Where an error happened: the session, and the file or address where there is one. */
export interface ErrorPlace {
  readonly key?: string;
  readonly path?: string;
  readonly cause?: unknown;
}

/** Base of everything a store rejects with. `code` equals the class name and is stable. */
export class SessionStoreError extends Error {
  readonly code: string;
  readonly key: string | undefined;
  readonly path: string | undefined;

  constructor(message: string, place: ErrorPlace = {}) {
    super(message, place.cause === undefined ? undefined : { cause: place.cause });
    this.name = new.target.name;
    this.code = new.target.code;
    this.key = place.key;
    this.path = place.path;
  }

  /** Repeated as a literal by each class, so that a minifier cannot change it. */
  static readonly code: string = 'StoreFailed';
}

/** The session is missing or deleted. `ensure` it, or `restore` it. */
export class SessionNotFound extends SessionStoreError {
  static override readonly code: string = 'SessionNotFound';
}
/** The alias belongs to another session, or an import meets a session that differs. */
export class AliasConflict extends SessionStoreError {
  static override readonly code: string = 'AliasConflict';
}
/** The key is empty, too long, or not a string. */
export class InvalidKey extends SessionStoreError {
  static override readonly code: string = 'InvalidKey';
}
/** A message, or an entry of an import, does not have the shape of one. */
export class InvalidMessage extends SessionStoreError {
  static override readonly code: string = 'InvalidMessage';
}
/** A message is larger than `capabilities.maxMessageBytes`. */
export class MessageTooLarge extends SessionStoreError {
  static override readonly code: string = 'MessageTooLarge';
}
/** Another process holds the store. */
export class StoreLocked extends SessionStoreError {
  static override readonly code: string = 'StoreLocked';
}
/** The store was closed. */
export class StoreClosed extends SessionStoreError {
  static override readonly code: string = 'StoreClosed';
}
/** What is stored cannot be read. */
export class StoreCorrupt extends SessionStoreError {
  static override readonly code: string = 'StoreCorrupt';
}
/** No room is left. Reads go on; writes do again once there is room. */
export class StoreFull extends SessionStoreError {
  static override readonly code: string = 'StoreFull';
}
/** Another process has taken over the session's turns. */
export class LeaseLost extends SessionStoreError {
  static override readonly code: string = 'LeaseLost';
}
/** This backend cannot do that, or the arguments ask for what no backend can do. */
export class Unsupported extends SessionStoreError {
  static override readonly code: string = 'Unsupported';
}
/** The medium failed in a way no other class names; the cause says how. */
export class StoreFailed extends SessionStoreError {
  static override readonly code: string = 'StoreFailed';
}
