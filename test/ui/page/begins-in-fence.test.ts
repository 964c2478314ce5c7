import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { beginsInsideCodeBlock, findColouredWordsInPart } from '../../../lib/ui/review-page/client/find-words.ts';

const lines = (...all: readonly string[]): string => all.join('\n');

test('REV-3 a fence that names a language tells where the lines before it are', () => {
  assert.is(beginsInsideCodeBlock(lines('a', '```js', 'b', '```')), false);
  assert.is(beginsInsideCodeBlock(lines('npm install', '```', 'text', '```js', 'b')), true);
  assert.is(beginsInsideCodeBlock(lines('~~~', 'text', '  ~~~sh')), true);
  assert.is(beginsInsideCodeBlock('# Title\n```one``` line'), false);
  assert.is(beginsInsideCodeBlock(lines('```', 'a', '```')), false);
  assert.is(beginsInsideCodeBlock(lines('a', '```', 'b')), null);
});

test('REV-3 what follows the end of a block is no code, though its beginning is not shown', () => {
  const text = lines('npm install', '```', '# Use', 'text', '```js', 'let a', '```');
  const code = findColouredWordsInPart(text, 'markdown').filter(({ kind }) => kind === 'string');
  const told = code.map(({ from, to }) => text.slice(from, to));
  assert.equal(told.join('').includes('npm install'), true);
  assert.equal(
    told.some((word) => word.includes('Use') || word.includes('text')),
    false,
  );
  assert.ok(findColouredWordsInPart(text, 'markdown').every(({ from, to }) => from >= 0 && to <= text.length));
  // Where it can't be told nothing is coloured, rather than wrongly.
  assert.equal(findColouredWordsInPart(lines('a', '```', '# b'), 'markdown'), []);
});

test.run();
