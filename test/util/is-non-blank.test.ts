import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isNonBlank } from '../../lib/util/error-text.ts';

test('a text says something where a person can see it', () => {
  const unseen = ['', '  \n\t', '\u200b', '\u3164', '\u2800', '\u00ad\ufeff', '\u202e\u2066', '\u001b', '\ue000'];
  for (const text of unseen) assert.not(isNonBlank(text), JSON.stringify(text));
  for (const text of ['a', '.', '👍', '\u200bflaky', 'für', '好']) assert.ok(isNonBlank(text), text);
});

test.run();
