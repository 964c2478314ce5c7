import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fences, listDocuments } from '../support/documents.ts';

const folder = 'docs/decisions';

test('each decision has a number, its context and its price, and is listed', () => {
  const files = readdirSync(folder).filter((name) => name !== 'README.md');
  const listed = [...readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/^- \[(\d+)\]\((.+?)\) (.+)$/gm)];
  assert.equal(listed.map(([, , file]) => file).sort(), files.sort());
  for (const [index, [, number = '', file = '', title]] of listed.entries()) {
    const text = readFileSync(join(folder, file), 'utf8');
    assert.is(number, String(index + 1).padStart(3, '0'));
    assert.ok(file.startsWith(`${number}-`), file);
    assert.equal(text.match(/^#+ .*$/gm), [`# ${number} ${title}`, '## Context', '## Decision', '## Price']);
    assert.not.match(text, /^## .*\n\n(?:##|$)/m, `${file} has an empty part`);
  }
});

for (const [path, most] of [
  ['README.md', 700],
  ['ARCHITECTURE.md', 2_500],
  ['CONCEPTS.md', 2_000],
  ['TUTORIAL.md', 1_700],
] as const)
  test(`${path} has at most ${most} words`, () => {
    const count = readFileSync(path, 'utf8')
      .split(/\s+/)
      .filter((word) => word !== '').length;
    assert.ok(count <= most, `${count} words`);
  });

test('no document, source or template uses a word of docs/words-to-avoid.txt', () => {
  const words = readFileSync('docs/words-to-avoid.txt', 'utf8')
    .split('\n')
    .flatMap((line) => /^([^#].*?) -> ./.exec(line)?.[1] ?? []);
  assert.ok(words.length > 10, `${words.length} words are listed`);
  const avoided = new RegExp(`\\b(?:${words.join('|').replaceAll('*', '\\w*')})\\b`, 'gi');
  const sources = ['lib', 'templates'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:tsx?|ejs|md)$/.test(name))
      .map((name) => join(folder, name)),
  );
  assert.ok(sources.length > 500, `${sources.length} sources are read`);
  const texts = [
    ...listDocuments().map((path) => ({ path, text: readFileSync(path, 'utf8').replace(fences, '') })),
    ...sources.map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  ];
  const found = texts.flatMap(({ path, text }) => [...text.matchAll(avoided)].map(([word]) => `${path}: ${word}`));
  // It is a key of what is hashed into decisions that persons have made.
  assert.equal(found, ['lib/core/admission/make-decisions.ts: told']);
});

test('each picture is shown in a document, 1280 pixels wide, and has at most 250 kB', () => {
  const texts = listDocuments().map((path) => readFileSync(path, 'utf8'));
  const names = readdirSync('docs/pictures');
  assert.ok(names.length > 1);
  for (const name of names) {
    assert.ok(
      texts.some((text) => text.includes(`pictures/${name})`)),
      `no document shows ${name}`,
    );
    const png = readFileSync(join('docs/pictures', name));
    assert.ok(png.length <= 250_000, `${name} has ${png.length} bytes`);
    assert.is(png.readUInt32BE(16), 1280, name);
  }
});

test.run();
