import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { boundText, toOneLine } from '../../lib/core/task/bound-text.ts';
import { lineSchema, textSchema } from '../../lib/domain/text-schemas.ts';
import { escapeHtml } from '../../lib/ui/page/escape-html.ts';
import { toPrintableDiffLine, toPrintableLine } from '../../lib/ui/text/printable-text.ts';

const family = '👩🏽\u200d👩\u200d👧\ufe0f\u200d👦';
// Persian “I want”, Sinhala “Sri”, Devanagari with an open conjunct.
const words = ['می\u200cخواهم', 'ශ්\u200dරී', 'क्\u200dष'];

test('titles and texts may hold the joiners that writing needs', () => {
  for (const text of [family, ...words]) {
    assert.ok(lineSchema(200).safeParse(`Add ${text} here`).success, text);
    assert.ok(textSchema(200).safeParse(`Add\n${text}`).success, text);
    assert.is(toOneLine(`a  ${text}`), `a ${text}`);
    assert.is(boundText(text), text);
  }
});

test('a joiner that hides is refused, dropped or shown', () => {
  for (const joiner of ['\u200c', '\u200d'])
    for (const text of [
      `a${joiner}b`,
      `1${joiner}2`,
      `${joiner}م`,
      `م${joiner}`,
      `م${joiner}${joiner}م`,
      `م${joiner}a`,
    ]) {
      assert.not.ok(lineSchema(200).safeParse(text).success, JSON.stringify(text));
      assert.not.ok(toOneLine(text).includes(joiner));
      assert.not.ok(toPrintableLine(text).includes(joiner));
      assert.match(escapeHtml(text), /⟦U\+200[CD]⟧/);
    }
});

test('a terminal gets joined pictures side by side, a page gets them joined, a diff shows each joiner', () => {
  assert.is(toPrintableLine(family), '👩🏽👩👧\ufe0f👦');
  assert.is(escapeHtml(family), family);
  assert.is(toPrintableDiffLine('👩\u200d👩 م\u200cم'), '👩⟦U+200D⟧👩 م⟦U+200C⟧م');
});

test.run();
