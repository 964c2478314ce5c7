import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  parseNotesFile,
  parseNotesInMessage,
  readWorkerNotes,
} from '../../../lib/core/blackboard/parse-notes-in-message.ts';
import { renderReasonLines, selectReasonsOfChanges } from '../../../lib/core/task/file-reasons.ts';
import { fileReasonLimits } from '../../../lib/domain/state/file-reason.ts';

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
  const left = readWorkerNotes({ text: 'Done.\nWHY a.ts: b\n\nNOTE: a\nb\nNOTE: c', notes: 'd\n\ne' });
  assert.equal(left.reasons, [{ path: 'a.ts', text: 'b' }]);
  const notes = [...left.notes, renderReasonLines(left.reasons)].join('\n\n');
  assert.equal(readWorkerNotes({ text: left.words, notes }), left);
});

test('QUE-3 notes in a field of a structured answer are notes, and what is no such answer stays words', () => {
  const answer = JSON.stringify({ summary: 'Did it.\nNOTE: c', notes: ['a', 'b', '', 'a'] });
  for (const text of [answer, `  ${answer}\n`, `\`\`\`json\n${answer}\n\`\`\`\n`])
    assert.equal(
      readWorkerNotes({ text }),
      { words: 'Did it.', notes: ['c', 'a', 'b'], leftOut: 0, reasons: [] },
      text,
    );
  const behind = readWorkerNotes({ text: `I changed a file.\n\n\`\`\`\n${answer}\n\`\`\`` });
  assert.is(behind.words, 'I changed a file.\n\nDid it.');
  for (const text of ['{"notes":"a"}', '{"notes":[1]}', '[{"notes":["a"]}]', '{"notes":["a"]', 'null', '{"x":1}'])
    assert.equal(readWorkerNotes({ text }), { words: text, notes: [], leftOut: 0, reasons: [] }, text);
  const many = JSON.stringify({ notes: Array.from({ length: 50 }, (_, index) => `n${index}`) });
  assert.equal([readWorkerNotes({ text: many }).notes.length, readWorkerNotes({ text: many }).leftOut], [8, 42]);
});

test('RVW-1 why a file changed is said in lines, in a file for notes, or in a field; the last reason for a file counts', () => {
  const text = 'Done.\n- WHY `src/a.ts`: it was slow\nWHY: ./src/b.ts: C: is a drive\nNOTE: n';
  assert.equal(readWorkerNotes({ text, notes: 'WHY src/c.ts: callers\n\nx\n\nWHY src/a.ts: first' }), {
    words: 'Done.',
    notes: ['x', 'n'],
    leftOut: 0,
    reasons: [
      { path: 'src/c.ts', text: 'callers' },
      { path: 'src/a.ts', text: 'it was slow' },
      { path: 'src/b.ts', text: 'C: is a drive' },
    ],
  });
  const answer = JSON.stringify({ summary: 's', notes: ['n'], why: { 'a.ts': 'because\nof \u001b[2Jb' } });
  assert.equal(readWorkerNotes({ text: answer }).reasons, [{ path: 'a.ts', text: 'because of [2Jb' }]);
  // A field of another form costs no more than itself.
  const bad = readWorkerNotes({ text: '{"summary":"s","notes":["n"],"why":["a.ts"]}' });
  assert.equal(bad, { words: 's', notes: ['n'], leftOut: 0, reasons: [] });
});

test('RVW-1 of any number of reasons those about its changes are kept, few, short and printable', () => {
  const changed = Array.from({ length: 150 }, (_, at) => ({ path: `f${199_999 - at}.ts` }));
  const many = Array.from({ length: 200_000 }, (_, at) => `WHY f${at}.ts: ${'because '.repeat(6)}`).join('\n');
  const { reasons, words } = readWorkerNotes({
    text: `Done.\n${many}`,
    notes: `WHY a\u202eb.ts: x\nWHY x.ts: ${'y'.repeat(9_999)}`,
  });
  assert.is(words, 'Done.');
  const kept = selectReasonsOfChanges(reasons, [{ path: 'x.ts' }, { path: 'ab.ts' }, ...changed]);
  assert.is(kept.length, fileReasonLimits.ofTask);
  assert.equal(kept[1], { path: changed.at(-1)?.path, text: 'because '.repeat(6).trim() });
  assert.equal(kept[0], { path: 'x.ts', text: `${'y'.repeat(fileReasonLimits.text - 1)}…` });
});

test.run();
