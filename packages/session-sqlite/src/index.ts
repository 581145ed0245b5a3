export { createSqliteBackend } from './sqlite-backend.js';
export { openSqliteDriver, type SqliteOptions } from './sqlite-driver.js';
