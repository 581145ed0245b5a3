import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { loopbackServer } from '../../test/support/loopback-server.js';
import { pageText } from './page-text.js';
import { webFetchTool } from './web-fetch.js';

/** 127.0.0.1 plays the public internet, every other address is private. */
async function internet(listener: RequestListener) {
  const { port } = await loopbackServer(listener);
  const names: Record<string, readonly string[]> = {
    'public.test': ['127.0.0.1'],
    'private.test': ['127.0.0.2'],
    'both.test': ['127.0.0.1', '10.0.0.1'],
    'six.test': ['::1'],
  };
  const tool = webFetchTool({
    isAllowed: (each) => each === '127.0.0.1',
    resolve: async (name) =>
      (names[name] ?? []).map((each) => ({ address: each, family: each.includes(':') ? 6 : 4 })),
  });
  const fetch = (url: string, more = {}) =>
    tool.execute(tool.inputSchema.parse({ url, ...more }), {
      sessionKey: 's',
      turnId: 't',
      signal: AbortSignal.timeout(10_000),
    });
  return { fetch, port, at: (host: string, path = '/') => `http://${host}:${port}${path}` };
}

describe('a page of the public internet', () => {
  it('is read as text, piece by piece', async () => {
    const { fetch, at } = await internet((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        '<title>Tide &amp; time</title><script>alert(1)</script><p>High water at <b>noon</b>.</p>',
      );
    });
    expect(await fetch(at('public.test', '/tides?day=1'))).toMatch(
      /^http:\/\/public\.test:\d+\/tides\?day=1 \(HTTP 200\)\nTitle: Tide & time\n\nWhat follows.*\n\nHigh water at noon\.$/s,
    );
  });

  it('is cut to what was asked for, and told how to read on', async () => {
    const { fetch, at } = await internet((_request, response) => {
      response.setHeader('content-type', 'text/plain');
      response.end('0123456789'.repeat(50));
    });
    expect(await fetch(at('public.test'), { max_characters: 100, offset: 10 })).toContain(
      '[390 more characters: read on with offset 110.]',
    );
  });

  it('is named but not shown where it is no text', async () => {
    const { fetch, at } = await internet((_request, response) => {
      response.setHeader('content-type', 'image/png');
      response.end(Buffer.alloc(10));
    });
    expect(await fetch(at('public.test'))).toContain('(image/png, 10 bytes');
  });

  it('is read through redirects, five at most', async () => {
    const { fetch, at } = await internet((request, response) => {
      const step = Number(request.url?.slice(1));
      response.writeHead(step > 0 ? 302 : 200, { location: `/${step - 1}`, 'content-type': 'text/plain' });
      response.end('There.');
    });
    expect(await fetch(at('public.test', '/5'))).toContain('There.');
    await expect(fetch(at('public.test', '/6'))).rejects.toThrow('redirects');
  });
});

describe('nothing else is fetched', () => {
  it('neither by name, number, redirect, other form nor other scheme', async () => {
    let reached = 0;
    const { fetch, port, at } = await internet((request, response) => {
      reached += 1;
      const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
      response.writeHead(302, { location: to ?? '/' });
      response.end();
    });
    const private_ = [
      ...[
        'private.test',
        'both.test',
        'six.test',
        '127.0.0.2',
        '[::1]',
        '[::ffff:127.0.0.2]',
        '169.254.169.254',
      ].map((host) => at(host)),
      ...['2130706434', '0x7f.0.0.2', '0177.0.0.2', '127.2'].map((host) => at(host)),
    ];
    for (const url of private_) await expect(fetch(url), url).rejects.toThrow('not on the public internet');
    expect(reached).toBe(0);
    for (const url of private_) {
      await expect(fetch(at('public.test', `/?to=${encodeURIComponent(url)}`)), url).rejects.toThrow(
        'public internet',
      );
    }
    expect(reached).toBe(private_.length);
    for (const url of [
      'file:///etc/passwd',
      'ftp://public.test/',
      'data:text/plain,x',
      'no address',
      `http://u:p@public.test:${port}/`,
    ]) {
      await expect(fetch(url), url).rejects.toThrow();
    }
    await expect(fetch(at('unknown.test'))).rejects.toThrow('has no address');
    expect(reached).toBe(private_.length);
  });
});

describe('the words of a page', () => {
  it.each([
    ['<p>a</p><p>b</p>', 'a\n\nb'],
    ['<head><style>x{}</style></head>a<!-- b --><br>c', 'a\nc'],
    ['<SCRIPT>x</SCRIPT >a', 'a'],
    ['<script>never closed', ''],
    ['&lt;b&gt; &#65;&#x42; &nope; &#xD800;', '<b> AB &nope;'],
    ['a < b', 'a < b'],
  ])('%j is %j', (html, text) => {
    expect(pageText(html).text).toBe(text);
  });

  it('takes time that grows with its length alone', () => {
    for (const piece of [
      '<script',
      '<!--',
      '<',
      '<div',
      '<div>',
      '<script></script>',
      '&',
      '&#',
      '</script',
      ' \n',
      '<title>',
    ]) {
      expect(() => pageText(piece.repeat(200_000))).not.toThrow();
    }
  });
});
