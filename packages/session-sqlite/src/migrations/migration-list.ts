import { picobotTables } from './001-picobot-tables.js';
import { sessionRecords } from './002-session-records.js';
import { searchIndex } from './003-search-index.js';
import { memoriesAndSkills } from './004-memories-and-skills.js';
import { deliveriesAndPairings } from './005-deliveries.js';
import { schedulerJobs } from './006-scheduler-jobs.js';

/** In order; the place in the list, from 1, is the version it leads to. Never edited after a release. */
export const migrations: readonly string[] = [
  picobotTables,
  sessionRecords,
  searchIndex,
  memoriesAndSkills,
  deliveriesAndPairings,
  schedulerJobs,
];
