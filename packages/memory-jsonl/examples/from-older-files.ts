import { createJsonlBackend, inspectJsonl, migrateFromJson, sealMigration } from '@x/memory-jsonl';

const directory = process.env.SESSIONS ?? './sessions';

const store = await createJsonlBackend({ directory });
// Copies every session and reads it back; where it rejects, nothing of it is left in the store.
const migration = await migrateFromJson(directory, store);
// Writes down what was taken, then renames the files to *.json.migrated.
await sealMigration(directory, migration);
for (const { key, messages } of migration.copied) console.log(`${key}: ${messages} messages`);
for (const { message } of migration.problems) console.log(message);
await store.close();

for await (const { code, path, line } of inspectJsonl(directory)) console.log(code, path, line ?? '');
