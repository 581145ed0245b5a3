/**
 * The words of all messages, three letters at a time, so that languages without spaces are found as well. The index
 * holds no text (a hit is compared with the message itself) and no places (a fifth of the size). What is gone from
 * `messages` leaves it through `search_removals`.
 */
export const searchIndex = `
CREATE VIRTUAL TABLE message_search USING fts5(
  text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram case_sensitive 1'
);
CREATE TABLE search_removals(id INTEGER PRIMARY KEY, first INTEGER NOT NULL, last INTEGER NOT NULL);
`;
