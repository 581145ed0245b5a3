/** Something that was found wrong in the folder and survived. Each is reported once while the store is open. */
export interface Finding {
  /**
   * - `unreadable-line`: not one JSON message (cut short, two on one line, NULs …); kept in the file, not returned.
   * - `long-line`: longer than PicoClaw reads; returned unless it passes `maxLineBytes` as well.
   * - `damaged-text`: a message with bytes that are no UTF-8 or with a byte order mark; returned without them.
   * - `torn-line`: the last line has no end; what is appended next begins on a line of its own.
   * - `unfinished-append`: the first messages of an append that a crash cut off before it was acknowledged.
   * - `dropped-line`: an unreadable line that lay among messages which were removed, and went with them.
   * - `seq-order`: seqs of the file do not rise; the lines count in the order of the file.
   * - `broken-metadata`: unreadable; rebuilt from the history, and kept aside when the session is written to.
   * - `duplicate-key`: two metadata files name one key; the file of this path is left alone.
   * - `alias-conflict`: two sessions list one alias; it leads to the one created first.
   * - `unfinished-change`: a crash cut it off, and a reader does not finish it: its sessions may show some of it.
   * - `unreadable-intent`: the record of a step that a crash cut off cannot be read; left where it is.
   * - `changed-outside`: another program wrote to a session while this store had the folder; taken over as it is now.
   * - `journal-elsewhere`: where messages of the journal belong lies something else; they were added at the end.
   * - `index-not-written`: the next opening takes longer, that is all.
   * - `metadata-not-written`: the metadata lags behind the history; tried again on the next occasion.
   */
  readonly code:
    | 'unreadable-line'
    | 'long-line'
    | 'damaged-text'
    | 'torn-line'
    | 'unfinished-append'
    | 'dropped-line'
    | 'seq-order'
    | 'broken-metadata'
    | 'duplicate-key'
    | 'alias-conflict'
    | 'unfinished-change'
    | 'unreadable-intent'
    | 'changed-outside'
    | 'journal-elsewhere'
    | 'index-not-written'
    | 'metadata-not-written';
  /** The file, as a path. */
  readonly path: string;
  readonly key?: string;
  /** Counted from 1, empty lines included. */
  readonly line?: number;
  /** Length of the line. */
  readonly bytes?: number;
  /** What is wrong and what becomes of it, in a sentence. */
  readonly message: string;
}
