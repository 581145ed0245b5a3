import { expect, it } from 'vitest';
import * as conformance from './conformance/index.js';
import * as surface from './index.js';

it('exports this and no more', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "SchedulerError",
      "createJobBoard",
      "createMemoryJobStore",
      "createScheduler",
      "firstDue",
      "isOneShot",
      "jobRequestSchema",
      "nextDue",
      "parseJobRequest",
      "scheduleOf",
      "scheduleSchema",
      "synchroniseJobs",
      "systemClock",
      "taskOf",
    ]
  `);
  expect(Object.keys(conformance)).toEqual(['jobStoreConformance']);
});
