/** A small server of the Model Context Protocol: what it answers to one message; undefined where it answers nothing. */
export function mcpAnswer({ id, method, params = {} }, onDeath = () => {}) {
  if (id === undefined) return undefined;
  const answer = (result) => ({ jsonrpc: '2.0', id, result });
  if (method === 'initialize') {
    return answer({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'test', version: '1' },
    });
  }
  if (method === 'tools/list') {
    // Two pages: a client that stops at the first sees half.
    const inputSchema = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    return params.cursor === undefined
      ? answer({
          tools: [
            { name: 'echo', description: 'Says it again.', inputSchema, annotations: { readOnlyHint: true } },
          ],
          nextCursor: 'more',
        })
      : answer({
          tools: [
            { name: 'fail', inputSchema: { type: 'object' } },
            { name: 'die.now', inputSchema: { type: 'object' } },
          ],
        });
  }
  if (method === 'tools/call') {
    if (params.name === 'echo')
      return answer({
        content: [
          { type: 'text', text: `echo: ${params.arguments.text}` },
          { type: 'image', data: 'AA==', mimeType: 'image/png' },
        ],
      });
    if (params.name === 'fail')
      return answer({ content: [{ type: 'text', text: 'It does not work.' }], isError: true });
    if (params.name === 'die.now') return onDeath();
  }
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } };
}
