/** What `--store` is, in the help of every command that has it. */
export const STORE_OPTION =
  'the sessions: jsonl:DIR, sqlite:FILE or openclaw:DIR, which is only read (default: the configured ones)';
