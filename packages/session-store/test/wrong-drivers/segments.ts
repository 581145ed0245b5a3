import {
  backendThat,
  changing,
  countingAnew,
  driverThat,
  hoarding,
  recording,
  trace,
  type Wrongs,
} from './wrong.js';

export const wrongSummaries: Wrongs = {
  'setSummary: the summary is what was set last, and nothing else changes': backendThat((right) => ({
    async setSummary(key, summary, guard) {
      const meta = await right.meta(key);
      return meta !== undefined && meta.summary !== '' ? meta : right.setSummary(key, summary, guard);
    },
  })),
  'setSummary: an empty one takes the summary away': backendThat((right) => ({
    async setSummary(key, summary, guard) {
      const meta = await right.meta(key);
      return meta !== undefined && summary === '' ? meta : right.setSummary(key, summary, guard);
    },
  })),
  'setSummary: the same again changes nothing': backendThat((right) => ({
    async setSummary(key, summary, guard) {
      await trace(right, key);
      return right.setSummary(key, summary, guard);
    },
  })),
};

export const wrongTruncations: Wrongs = {
  'truncate: keepLast leaves the last N active and deletes nothing': backendThat((right) => ({
    async truncate(key, cut, guard) {
      const meta = await right.truncate(key, cut, guard);
      await right.compact(key, guard);
      return meta;
    },
  })),
  'truncate: throughSeq hides the messages up to it': backendThat((right) => ({
    truncate: (key, cut, guard) =>
      right.truncate(
        key,
        'throughSeq' in cut ? { ...cut, throughSeq: Math.max(0, cut.throughSeq - 1) } : cut,
        guard,
      ),
  })),
  'truncate: with 0 to keep nothing is active': backendThat((right) => ({
    truncate: (key, cut, guard) =>
      right.truncate(key, 'keepLast' in cut ? { ...cut, keepLast: Math.max(1, cut.keepLast) } : cut, guard),
  })),
  'truncate: a thought does not count among the last N': backendThat((right) => ({
    async truncate(key, cut, guard) {
      if (!('keepLast' in cut)) return right.truncate(key, cut, guard);
      const [oldest] = (await right.read(key, { limit: cut.keepLast, order: 'desc' })).slice(-1);
      return right.truncate(key, { throughSeq: (oldest?.seq ?? 1) - 1 }, guard);
    },
  })),
  'truncate: the summary of what it hides is set in the same step, and otherwise stays': backendThat(
    (right) => ({
      truncate: (key, cut, guard) => right.truncate(key, { ...cut, summary: cut.summary ?? '' }, guard),
    }),
  ),
  'truncate: the cutoff never moves back': backendThat((right, driver) => ({
    async truncate(key, cut, guard) {
      const meta = await right.truncate(key, cut, guard);
      if (!('throughSeq' in cut)) return meta;
      await driver.transact({ keys: [key], aliases: [], messageIds: [] }, () => [
        { key, meta: { ...meta, cutoff: cut.throughSeq } },
      ]);
      return { ...meta, cutoff: cut.throughSeq };
    },
  })),
  'truncate: a number that is no count or seq is refused with Unsupported': backendThat((right) => ({
    truncate: (key, cut, guard) =>
      right.truncate(key, 'keepLast' in cut && !(cut.keepLast >= 0) ? { keepLast: 3 } : cut, guard),
  })),
  'truncate: a long session is cut where it was said': driverThat((right) => ({
    scan: (key, range) => right.scan(key, { ...range, limit: Math.min(range.limit, 100) }),
  })),
};

export const wrongResets: Wrongs = {
  'reset: closes the segment: cutoff to the end, summary and counters to nothing': backendThat((right) => ({
    async reset(key, options, guard) {
      const summary = (await right.meta(key))?.summary ?? '';
      return right.reset(key, { summary, ...options }, guard);
    },
  })),
  'reset: deletes nothing; what was said stays readable, and new messages begin a segment': backendThat(
    (right) => ({
      async reset(key, options, guard) {
        const meta = await right.reset(key, options, guard);
        await right.compact(key, guard);
        return meta;
      },
    }),
  ),
  'reset: closed segments are kept, oldest first': recording((meta) => ({
    ...meta,
    segments: meta.segments.slice(-1),
  })),
  'reset: keepLast opens the next segment with the newest messages, a summary with those words': backendThat(
    (right) => ({
      reset: (key, { keepLast: _ignored, ...options } = {}, guard) => right.reset(key, options, guard),
    }),
  ),
  'reset: a segment that never began needs no closing': backendThat((right) => ({
    async reset(key, options, guard) {
      await trace(right, key);
      return right.reset(key, options, guard);
    },
  })),
  'reset: a keepLast that is no count is refused with Unsupported': backendThat((right) => ({
    reset: (key, options = {}, guard) =>
      right.reset(key, { ...options, keepLast: Math.max(0, Math.floor(options.keepLast ?? 0)) }, guard),
  })),
};

export const wrongCompactions: Wrongs = {
  'compact: physically removes what lies up to the cutoff, and says how much': hoarding,
  'compact: seqs go on where they were, even when nothing is left': countingAnew,
  'compact: with nothing to remove changes nothing': backendThat((right) => ({
    async compact(key, guard) {
      await trace(right, key);
      return right.compact(key, guard);
    },
  })),
  'compact: a second time removes only what was hidden since': backendThat((right) => {
    const done = new Set<string>();
    return {
      async compact(key, guard) {
        if (done.has(key)) return { removed: 0 };
        done.add(key);
        return right.compact(key, guard);
      },
    };
  }),
  'compact: the bin is emptied with it': changing((change, before) =>
    change.dropThrough === undefined || before?.bin === undefined
      ? change
      : { ...change, meta: { ...change.meta, bin: before.bin } },
  ),
};

export const wrongClearings: Wrongs = {
  'clear: removes all messages, segments and the summary; the session and its names stay': hoarding,
  'clear: seqs go on where they were, and a cleared id may come again': countingAnew,
  'clear: other sessions are not touched': backendThat((right) => ({
    async clear(key, guard) {
      for (const { key: other } of (await right.list()).sessions) await right.clear(other);
      return right.clear(key, guard);
    },
  })),
};
