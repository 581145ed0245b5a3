export interface RuntimeLogger {
  warn(facts: Readonly<Record<string, unknown>>, sentence: string): void;
}
