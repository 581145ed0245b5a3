/** What `--store` is, in the help of every command that has it. */
export const STORE_OPTION = 'the sessions: jsonl:DIR or sqlite:FILE (default: the configured ones)';
