export { type Clock, systemClock } from './clock.js';
export { firstDue, nextDue } from './due-time.js';
export { type JobProblem, SchedulerError, type SchedulerErrorCode } from './errors.js';
export { isOneShot, type Schedule, scheduleSchema } from './schedule.js';
export type { JobKind, JobTarget, Task } from './task.js';
