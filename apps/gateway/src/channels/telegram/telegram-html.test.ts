import fc from 'fast-check';
import { expect, test } from 'vitest';
import { telegramHtml } from './telegram-html.js';

test.each([
  ['**bold** and *it* `a<b`', '<b>bold</b> and <i>it</i> <code>a&lt;b</code>'],
  ['# Title\n\ntext', '<b>Title</b>\n\ntext'],
  ['```ts\nif (a < b) {}\n```', '<pre><code class="language-ts">if (a &lt; b) {}</code></pre>'],
  ['- one\n- two\n  - deep', '• one\n• two\n  • deep'],
  ['3. c\n4. d', '3. c\n4. d'],
  ['[site](https://a.example/?x=1&y=2)', '<a href="https://a.example/?x=1&amp;y=2">site</a>'],
  ['[bad](javascript:alert(1))', 'bad'],
  ['a & b <script>alert(1)</script>', 'a &amp; b &lt;script&gt;alert(1)&lt;/script&gt;'],
  ['> quoted', '<blockquote>quoted</blockquote>'],
])('%s', (markdown, html) => expect(telegramHtml(markdown)).toBe(html));

test('nothing becomes a tag that was not Markdown', () => {
  const parts = fc.array(
    fc.constantFrom(
      '<b>',
      '</b>',
      '<',
      '>',
      '&',
      '"',
      '**',
      '`',
      '```\n',
      '[x](',
      ')',
      '\n',
      'word ',
      '# ',
      '- ',
    ),
    { maxLength: 30 },
  );
  fc.assert(
    fc.property(parts, (given) => {
      const html = telegramHtml(given.join(''));
      const open: string[] = [];
      const tag = /<(\/?)(b|i|s|code|pre|a|blockquote)(?: (?:href|class)="[^"<>]*")?>/g;
      expect(html.replaceAll(tag, '')).not.toMatch(/[<>]/);
      for (const [, close, name = ''] of html.matchAll(tag)) {
        if (close === '') open.push(name);
        else expect(open.pop()).toBe(name);
      }
      expect(open).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
