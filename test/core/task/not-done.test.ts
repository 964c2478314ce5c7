import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { notDonePrefix, parseNotDoneReason } from '../../../lib/core/blackboard/parse-notes-in-message.ts';
import { packageRoot } from '../../../lib/util/user-folders.ts';

test('UNI-5 why an agent did nothing is what it says in the form it was asked for, and nothing else', () => {
  assert.is(
    parseNotDoneReason('I looked.\n\nNOT DONE: src/a.ts is not there.\nAsk Lea.'),
    'src/a.ts is not there.\nAsk Lea.',
  );
  assert.is(parseNotDoneReason('NOT DONE: first\nNOT DONE: at last'), 'at last');
  for (const text of ['', 'All done, everything is committed.', 'It is NOT DONE: no.', 'NOT DONE:', 'not done: x'])
    assert.is(parseNotDoneReason(text), '', text);
});

test('PRM-1 workers are told that form', () => {
  const template = readFileSync(join(packageRoot(), 'templates', 'worker.ejs'), 'utf8');
  assert.match(template, `commit nothing and end with a line \`${notDonePrefix} reason\`.`);
});

test.run();
