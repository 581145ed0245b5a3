import { expect, test } from 'vitest';
import { parseSkillFile } from './skill-file.js';

test('reads name, description and body, whatever the ends of lines and the form of the text', () => {
  const file =
    '---\nname: soup\ndescription: >-\n  How to\n  cook "soup".\nlicense: MIT\n---\n# Soup\n\n---\nBoil.\n';
  const read = { name: 'soup', description: 'How to cook "soup".', body: '# Soup\n\n---\nBoil.' };
  expect(parseSkillFile(file)).toEqual(read);
  expect(parseSkillFile(`\uFEFF${file.replaceAll('\n', '\r\n')}`)).toEqual({
    ...read,
    body: read.body.replaceAll('\n', '\r\n'),
  });
  expect(parseSkillFile('---\ndescription: Only this.\n---')).toEqual({
    name: undefined,
    description: 'Only this.',
    body: '',
  });
});

test.each([
  ['# Soup', 'no front matter'],
  ['---\ndescription: x\n', 'no front matter'],
  ['---\nname: soup\n---\nBoil.', 'description: expected text'],
  ['---\ndescription: "  "\n---\n', 'description: expected text'],
  ['---\ndescription: [a, b]\n---\n', 'description: expected text'],
  [`---\ndescription: ${'x'.repeat(1025)}\n---\n`, 'at most 1024 characters'],
  ['---\nname: "a\\nb"\ndescription: x\n---\n', 'name: expected'],
  ['---\ndescription: "open\n---\n', 'not YAML'],
  ['---\njust words\n---\n', 'expected fields'],
])('says what is wrong with %j', (text, complaint) => {
  expect(() => parseSkillFile(text)).toThrow(complaint);
});
