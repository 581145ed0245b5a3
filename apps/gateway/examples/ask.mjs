// Asks a running gateway something and prints the answer as it comes: node ask.mjs URL TEXT [SESSION]
const [, , url = 'http://127.0.0.1:7420', text = 'what time is it?', session = 'example'] = process.argv;
const token = process.env.HOLDFAST_TOKEN;

const answer = await fetch(new URL('/api/chat', url), {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
  body: JSON.stringify({ text, session, id: crypto.randomUUID() }),
});

let rest = '';
for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) {
  const blocks = (rest + piece).split('\n\n');
  rest = blocks.pop();
  for (const block of blocks) {
    const name = /^event: (.*)$/m.exec(block)?.[1];
    const data = JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null');
    if (name === 'token') process.stdout.write(data.text);
    if (name === 'error') throw new Error(data.message);
  }
}
process.stdout.write('\n');
