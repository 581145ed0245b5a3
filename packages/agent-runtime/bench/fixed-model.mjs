const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Answers at once, with the same three words. */
export function fixedModel() {
  return {
    specificationVersion: 'v3',
    provider: 'bench',
    modelId: 'fixed',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('It streams.')),
    doStream: async () => ({ stream: ReadableStream.from(parts) }),
  };
}

const parts = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: '1' },
  ...['Yes, ', 'it ', 'is.'].map((delta) => ({ type: 'text-delta', id: '1', delta })),
  { type: 'text-end', id: '1' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
];
