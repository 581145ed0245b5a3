/**
 * PicoBot's table of jobs, where the file does not have it yet, and what a job holds beyond it. A job that waits stands
 * in the index of its time, one that runs in that of the running ones: finished jobs cost a look nothing.
 */
export const schedulerJobs = `
CREATE TABLE IF NOT EXISTS scheduler_jobs(
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  schedule_json TEXT NOT NULL,
  interval_secs INTEGER NOT NULL DEFAULT 0,
  startup_delay_secs INTEGER NOT NULL DEFAULT 0,
  target_json TEXT NOT NULL,
  payload_json TEXT NOT NULL,
  enabled INTEGER NOT NULL DEFAULT 1,
  state TEXT NOT NULL DEFAULT 'scheduled',
  last_status TEXT,
  last_error TEXT,
  run_count INTEGER NOT NULL DEFAULT 0,
  max_runs INTEGER,
  last_fired_at INTEGER,
  next_fire_at INTEGER,
  paused_at INTEGER,
  completed_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);
ALTER TABLE scheduler_jobs ADD COLUMN time_zone TEXT;
ALTER TABLE scheduler_jobs ADD COLUMN source TEXT;
ALTER TABLE scheduler_jobs ADD COLUMN title TEXT;
ALTER TABLE scheduler_jobs ADD COLUMN missed_runs TEXT;
ALTER TABLE scheduler_jobs ADD COLUMN due_at INTEGER;
ALTER TABLE scheduler_jobs ADD COLUMN failures INTEGER;
ALTER TABLE scheduler_jobs ADD COLUMN claim_owner TEXT;
ALTER TABLE scheduler_jobs ADD COLUMN claim_token INTEGER;
ALTER TABLE scheduler_jobs ADD COLUMN revision INTEGER;
CREATE INDEX scheduler_jobs_due ON scheduler_jobs(next_fire_at, id)
  WHERE state = 'scheduled' AND enabled = 1 AND next_fire_at IS NOT NULL;
CREATE INDEX scheduler_jobs_running ON scheduler_jobs(id) WHERE state = 'running';
`;
