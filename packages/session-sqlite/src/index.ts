export { backupSqlite } from './backup-sqlite.js';
export { checkSqlite, type SqliteProblem } from './check-sqlite.js';
export { createSqliteBackend } from './sqlite-backend.js';
export { openSqliteDriver, type SqliteOptions } from './sqlite-driver.js';
export { openSqliteFile, type SqliteFile, type SqliteFileOptions } from './sqlite-file.js';
