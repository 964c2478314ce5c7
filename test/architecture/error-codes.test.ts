import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

interface Made {
  readonly code: string;
  readonly where: string;
}

const sources = listSources('lib').map((file) => ({ file, text: readFileSync(file, 'utf8') }));
// Up to the key that follows; `code` of a variable is that of a helper, whose callers give it as their first word.
const constructed = /new FlameError\(\{(?:(?!new FlameError)[^;])*?\bcode(?:: ([^,]*))?,/g;
const helped = /\b(?:throw|return) (?:usage|refusedError)\(\s*([^,]*),/g;

const made = sources.flatMap(({ file, text }): Made[] =>
  [...text.matchAll(constructed), ...text.matchAll(helped)].flatMap((match) => {
    const line = text.slice(0, match.index).split('\n').length;
    return codesIn(match[1] ?? '').map((code) => ({ code, where: `${file}:${line}` }));
  }),
);

test('each error code is made in one place, so that it has one wording', () => {
  const twice = made.filter(({ code }, at) => made.findIndex((one) => one.code === code) !== at);
  assert.equal(twice, []);
});

test('no error escapes that reading, and codes are in kebab-case', () => {
  for (const { file, text } of sources)
    assert.is([...text.matchAll(constructed)].length, text.split('new FlameError(').length - 1, file);
  assert.ok(made.length > 150, `${made.length} codes are found`);
  for (const { code, where } of made) assert.match(code, /^[a-z]+(?:-[a-z]+)*$/, where);
});

/** `cause === null ? 'a' : 'b'` makes two. */
function codesIn(expression: string): string[] {
  return [...expression.matchAll(/'([^']*)'/g)].flatMap(([, code]) => code ?? []);
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listSources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

test.run();
