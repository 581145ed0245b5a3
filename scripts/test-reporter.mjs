import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * A vitest reporter that writes what the closing table needs to the file named by HOLDFAST_TEST_REPORT:
 * `{ projects: { [name]: { passed, failed, skipped } }, skips: [{ project, file, test, reason }], failures: [same] }`.
 * A file that could not be loaded and an error outside every test count as one failure each.
 */
export default class TestReporter {
  onInit(vitest) {
    this.root = vitest.config.root;
  }

  onTestRunEnd(modules, unhandledErrors) {
    const report = { projects: {}, skips: [], failures: [] };
    for (const module of modules) {
      const project = module.project.name || 'tests';
      report.projects[project] ??= { passed: 0, failed: 0, skipped: 0 };
      const counts = report.projects[project];
      const place = { project, file: relative(this.root, module.moduleId) };
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state, note } = test.result();
        if (state === 'passed') counts.passed += 1;
        else if (state === 'skipped') {
          counts.skipped += 1;
          report.skips.push({
            ...place,
            test: test.fullName,
            reason: note ?? `marked as ${test.options.mode}`,
          });
        } else {
          failedTests += 1;
          report.failures.push({ ...place, test: test.fullName, reason: state });
        }
      }
      if (failedTests === 0 && module.state() === 'failed') {
        failedTests = 1;
        report.failures.push({ ...place, test: '(the file itself)', reason: 'could not be run' });
      }
      counts.failed += failedTests;
    }
    for (const error of unhandledErrors) {
      report.projects['outside any test'] ??= { passed: 0, failed: 0, skipped: 0 };
      report.projects['outside any test'].failed += 1;
      report.failures.push({ project: '', file: '', test: '(outside any test)', reason: error.message });
    }
    const path = process.env.HOLDFAST_TEST_REPORT;
    if (path) writeFileSync(path, JSON.stringify(report));
  }
}
