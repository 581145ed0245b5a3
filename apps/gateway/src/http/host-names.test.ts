import { expect, test } from 'vitest';
import { bareHost, isAddress, isLoopbackHost } from './host-names.js';

test.each([
  ['127.0.0.1:80', '127.0.0.1', true],
  ['LocalHost.', 'localhost', true],
  ['app.localhost:3000', 'app.localhost', true],
  ['[::1]:80', '::1', true],
  ['::1', '::1', true],
  ['0.0.0.0', '0.0.0.0', false],
  ['127.0.0.1.evil.test', '127.0.0.1.evil.test', false],
  ['localhost.evil.test:80', 'localhost.evil.test', false],
  ['', '', false],
])('%s is the host %s', (text, bare, isLoopback) => {
  expect(bareHost(text)).toBe(bare);
  expect(isLoopbackHost(text)).toBe(isLoopback);
});

test('an address is no name', () => {
  expect(isAddress('192.168.0.7:7420')).toBe(true);
  expect(isAddress('[fe80::1]:7420')).toBe(true);
  expect(isAddress('192.168.0.7.nip.test')).toBe(false);
});
