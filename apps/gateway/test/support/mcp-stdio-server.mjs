import { createInterface } from 'node:readline';
import { mcpAnswer } from './mcp-answers.mjs';

for await (const line of createInterface({ input: process.stdin })) {
  const answer = mcpAnswer(JSON.parse(line), () => process.exit(1));
  if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
}
