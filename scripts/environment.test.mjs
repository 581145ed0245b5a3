import { delimiter, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { childEnvironment, testEnvironment } from './environment.mjs';

const inherited = (more) => ({ HOME: '/tmp', PATH: `/a${delimiter}/b`, ...more });

describe('childEnvironment', () => {
  it("puts the project's tools first and Node last on PATH", () => {
    expect(childEnvironment('/p', inherited()).PATH.split(delimiter)).toEqual([
      join('/p', '.tools/node_modules/.bin'),
      join('/p', 'node_modules/.bin'),
      '/a',
      '/b',
      dirname(process.execPath),
    ]);
  });

  it("drops npm's own variables, which pnpm would take for its configuration", () => {
    const leaks = {
      npm_config_global_prefix: '/g',
      npm_config_yes: 'true',
      npm_config_production: 'true',
      npm_config_user_agent: 'npm',
      npm_package_name: 'holdfast',
      npm_lifecycle_event: 'start',
      npm_execpath: '/npm',
    };
    const environment = childEnvironment('/p', inherited(leaks));
    for (const name of Object.keys(leaks)) expect(environment).not.toHaveProperty(name);
  });

  it('keeps how to reach the registry, where to cache and how to compile', () => {
    const kept = {
      npm_config_registry: 'https://packages.example',
      'npm_config_@x:registry': 'https://packages.example',
      NPM_CONFIG_REGISTRY: 'https://packages.example',
      npm_config_https_proxy: 'http://proxy.example',
      npm_config_noproxy: 'localhost',
      npm_config_cafile: '/ca',
      npm_config_strict_ssl: 'true',
      npm_config_userconfig: '/c/.npmrc',
      npm_config_cache: '/c',
      npm_config_nodedir: '/n',
      INIT_CWD: '/from',
    };
    expect(childEnvironment('/p', inherited(kept))).toMatchObject(kept);
  });

  it('names a home where there is none', () => {
    const { HOME, ...homeless } = inherited();
    expect(HOME).toBe('/tmp');
    expect(childEnvironment(import.meta.dirname, homeless).HOME).toBeTruthy();
    expect(childEnvironment(import.meta.dirname, inherited({ HOME: '' })).HOME).toBeTruthy();
  });
});

describe('testEnvironment', () => {
  it('forgets what would make a test depend on whose machine it runs on', () => {
    const ambient = {
      HOLDFAST_DATA: '/d',
      OPENAI_API_KEY: 'k',
      ANTHROPIC_API_KEY: 'k',
      NODE_ENV: 'production',
    };
    const environment = testEnvironment('/p', inherited(ambient));
    for (const name of Object.keys(ambient)) expect(environment).not.toHaveProperty(name);
  });
});
