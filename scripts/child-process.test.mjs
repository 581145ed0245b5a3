import { describe, expect, it } from 'vitest';
import { captureChild, runChild } from './child-process.mjs';

const here = { cwd: '.', env: process.env };

describe('captureChild', () => {
  it('keeps both streams and the code', async () => {
    const program = "process.stdout.write('a'); process.stderr.write('b'); process.exitCode = 3;";
    const { code, output } = await captureChild(process.execPath, ['-e', program], here);
    expect(code).toBe(3);
    expect([...output].sort().join('')).toBe('ab');
  });
});

describe('runChild', () => {
  it('gives the code of a program that a signal ended as a shell does', async () => {
    expect(await runChild(process.execPath, ['-e', "process.kill(process.pid, 'SIGKILL')"], here)).toBe(
      128 + 9,
    );
  });

  it('fails when there is no such program', async () => {
    await expect(runChild('no-such-program-here', [], here)).rejects.toThrow('ENOENT');
  });
});
