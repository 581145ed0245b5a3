// Holds the write lock of a file: node lock-holder.mjs FILE MILLISECONDS. Says "held" once it has it.
import Database from 'better-sqlite3';

const [file, milliseconds] = process.argv.slice(2);
const database = new Database(file);
database.exec('BEGIN IMMEDIATE');
process.stdout.write('held\n');
setTimeout(() => {
  database.exec('ROLLBACK');
  database.close();
}, Number(milliseconds));
