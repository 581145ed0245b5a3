/** What can separate conversations, named as in configuration. */
export const DIMENSIONS = ['space', 'chat', 'topic', 'sender'] as const;

export type Dimension = (typeof DIMENSIONS)[number];
