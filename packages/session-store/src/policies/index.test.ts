import { expect, it } from 'vitest';
import * as surface from './index.js';

it('exports this and nothing else', () => {
  expect(Object.keys(surface).sort()).toMatchInlineSnapshot(`
    [
      "chatKind",
      "dailyBoundary",
      "dueReset",
      "isPinned",
      "isTimeZone",
      "maintainSessions",
      "planMaintenance",
      "resetRule",
      "staleReason",
    ]
  `);
});
