import { folded } from '../search-index.js';
import { wellFormed } from '../stored-text.js';

/** More of them narrow nothing further down. */
const wordsAtMost = 32;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The words of a question, in lower case, each once; in languages without spaces too. */
export function wordsOf(question: string): readonly string[] {
  const text = folded(wellFormed(question)).trim();
  const words = new Set<string>();
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike === true && words.size < wordsAtMost) words.add(segment);
  }
  return words.size === 0 && text !== '' ? [text] : [...words];
}

/** How much of the question a text holds: long words tell more than short ones. 0 for none of it. */
export function likeness(text: string, words: readonly string[]): number {
  const within = folded(text);
  return words.reduce((sum, word) => sum + (within.includes(word) ? [...word].length : 0), 0);
}

/** Words that the index of letter triples finds just where `likeness` does, and the others. */
export function sortWords(words: readonly string[]): {
  indexed: readonly string[];
  scanned: readonly string[];
} {
  const isIndexed = (word: string) =>
    [...word].length >= 3 && word.toUpperCase().toLowerCase() === word && word.toLowerCase() === word;
  return { indexed: words.filter(isIndexed), scanned: words.filter((word) => !isIndexed(word)) };
}

/** The words as a query of FTS5: any of them. */
export function anyOf(words: readonly string[]): string {
  return words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' OR ');
}
