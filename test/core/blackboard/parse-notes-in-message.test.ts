import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  parseNotesFile,
  parseNotesInMessage,
  readWorkerNotes,
} from '../../../lib/core/blackboard/parse-notes-in-message.ts';

test('QUE-3 a note goes from its mark to the next one or an empty line; the rest stays the last words', () => {
  const message = 'Done.\n\nNOTE: hash() takes bytes,\nnot text\nNOTE: tests need TZ\n\nAll green.';
  assert.equal(parseNotesInMessage(message), {
    notes: ['hash() takes bytes,\nnot text', 'tests need TZ'],
    rest: 'Done.\n\nAll green.',
  });
  assert.equal(parseNotesInMessage('Nothing. A NOTE: within a line is none'), {
    notes: [],
    rest: 'Nothing. A NOTE: within a line is none',
  });
});

test('QUE-3 paragraphs of a file are notes', () => {
  assert.equal(parseNotesFile('one\r\ntwo\r\n\r\n  \n three\n'), ['one\ntwo', 'three']);
  assert.equal(parseNotesFile('\n \n'), []);
});

test('QUE-3 notes are few, short and printable, each once; how many are left out is said', () => {
  const text = Array.from({ length: 12 }, (_, at) => `NOTE: n${at}`).join('\n');
  const left = readWorkerNotes({ text: `ok\n\n${text}`, notes: 'n3\n\nfrom the file' });
  assert.equal(left.words, 'ok');
  assert.equal(left.notes.slice(0, 3), ['n3', 'from the file', 'n0']);
  assert.equal([left.notes.length, left.leftOut], [8, 5]);
  const [long = ''] = readWorkerNotes({
    text: '',
    notes: `a\u202eb\u001b[2J${'x'.repeat(10_000_000)}`,
  }).notes;
  assert.is(long.length, 1_500);
  assert.ok(long.startsWith('ab[2Jx') && long.endsWith('…'));
});

test('QUE-3 what is kept of an end that is taken in later says the same', () => {
  const left = readWorkerNotes({ text: 'Done.\n\nNOTE: a\nb\nNOTE: c', notes: 'd\n\ne' });
  assert.equal(readWorkerNotes({ text: left.words, notes: left.notes.join('\n\n') }), left);
});

test('QUE-3 notes in a field of a structured answer are notes, and what is no such answer stays words', () => {
  const answer = JSON.stringify({ summary: 'Did it.\nNOTE: c', notes: ['a', 'b', '', 'a'] });
  for (const text of [answer, `  ${answer}\n`, `\`\`\`json\n${answer}\n\`\`\`\n`])
    assert.equal(readWorkerNotes({ text }), { words: 'Did it.', notes: ['c', 'a', 'b'], leftOut: 0 }, text);
  const behind = readWorkerNotes({ text: `I changed a file.\n\n\`\`\`\n${answer}\n\`\`\`` });
  assert.is(behind.words, 'I changed a file.\n\nDid it.');
  for (const text of ['{"notes":"a"}', '{"notes":[1]}', '[{"notes":["a"]}]', '{"notes":["a"]', 'null', '{"x":1}'])
    assert.equal(readWorkerNotes({ text }), { words: text, notes: [], leftOut: 0 }, text);
  const many = JSON.stringify({ notes: Array.from({ length: 50 }, (_, index) => `n${index}`) });
  assert.equal([readWorkerNotes({ text: many }).notes.length, readWorkerNotes({ text: many }).leftOut], [8, 42]);
});

test.run();
