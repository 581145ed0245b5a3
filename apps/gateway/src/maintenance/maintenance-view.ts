import type { MaintenanceReport, MaintenanceStep } from '@x/session-store/policies';

/** A run of maintenance, as the API and the command line write it. */
export interface MaintenanceView {
  /** False: only what would be done. */
  readonly enforced: boolean;
  /** Sessions outside the bin, before and after. */
  readonly before: number;
  readonly after: number;
  readonly steps: readonly MaintenanceStepView[];
  /** What a limit would have go, and why it stays. */
  readonly spared: readonly {
    readonly key: string;
    readonly title: string | null;
    readonly reason: string;
  }[];
}

export interface MaintenanceStepView {
  readonly action: MaintenanceStep['action'];
  readonly reason: MaintenanceStep['reason'];
  readonly key: string;
  readonly title: string | null;
  /** The last message. */
  readonly active_at: string;
  readonly message_count: number;
  /** False where it was only said, or the session changed meanwhile. */
  readonly done: boolean;
}

export function viewMaintenance(report: MaintenanceReport, enforced: boolean): MaintenanceView {
  const done = new Set(report.done);
  const taken = report.done.filter(({ action }) => action === 'delete').length;
  return {
    enforced,
    before: report.before,
    after: enforced ? report.before - taken : report.after,
    steps: report.steps.map((step) => ({
      action: step.action,
      reason: step.reason,
      key: step.session.key,
      title: step.session.title ?? null,
      active_at: step.session.activeAt,
      message_count: step.session.messageCount + (step.session.bin?.count ?? 0),
      done: done.has(step),
    })),
    spared: report.spared.map(({ session, reason }) => ({
      key: session.key,
      title: session.title ?? null,
      reason,
    })),
  };
}
