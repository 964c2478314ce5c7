import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readDecisionsFile } from '../../lib/config/read-decisions-file.ts';
import { errorOf, errorText, lines } from './support.ts';

const nothing = {
  plan: [],
  validation: [],
  validator_failed: [],
  changesets: [],
  session: [],
  question: [],
  budget: [],
};

test('every kind of decision', () => {
  const text = `# scripted
plan: [approve, quit, {replan: "more: tests"}, {edit: ../plan.yml}]
validation:
  - requeue: |
      two
      lines
  - drop
  - choose: 2
validator_failed: [retry, skip, manual]
changesets:
  - approve
  - skip
  - reject: not so
  - override: it is red elsewhere
  - choose: {task-001: 2}
  - auth: approve
    docs: {reject: no}
    ui: skip
session: [continue, stop, {replan: again}]
question: [{answer: '2'}, proceed, {answer: [a, b]}]
budget: [{raise: 2.5}, stop]
`;
  assert.equal(readDecisionsFile(text, 'd.yml'), {
    plan: ['approve', 'quit', { replan: 'more: tests' }, { edit: '../plan.yml' }],
    validation: [{ requeue: 'two\nlines\n' }, 'drop', { choose: 2 }],
    validator_failed: ['retry', 'skip', 'manual'],
    changesets: [
      'approve',
      'skip',
      { reject: 'not so' },
      { override: 'it is red elsewhere' },
      { choose: { 'task-001': 2 } },
      { auth: 'approve', docs: { reject: 'no' }, ui: 'skip' },
    ],
    session: ['continue', 'stop', { replan: 'again' }],
    question: [{ answer: '2' }, 'proceed', { answer: ['a', 'b'] }],
    budget: [{ raise: 2.5 }, 'stop'],
  });
});

test('lists that are not there are empty; JSON is read too', () => {
  for (const text of ['', '{}', '# x\n', 'plan:\nsession: []\n']) {
    assert.equal(readDecisionsFile(text, 'd'), nothing, JSON.stringify(text));
  }
  assert.equal(readDecisionsFile('{\n\t"plan": ["approve"]\n}\r\n', 'd'), { ...nothing, plan: ['approve'] });
});

test('all mistakes together, each with what may stand there', () => {
  const text = `plan: [aprove, {edit: ""}, {edit: f.yml, replan: x}]
validation: drop
validator_failed:
  - maybe
changesets:
  - {auth: approve, docs: rejected}
  - {reject: 5}
session: [{replan: }]
budget: [{raise: 0}, {raise: much}]
budgets: []
`;
  const error = errorOf(() => readDecisionsFile(text, 'd.yml'));
  assert.is(error.code, 'bad-decisions');
  assert.is(error.kind, 'environment');
  assert.is(
    [error.message, ...error.lines].join('\n'),
    lines(`
      d.yml has 11 mistakes.
      d.yml:1:8  plan[0] is not a decision of this list
        plan: [aprove, {edit: ""}, {edit: f.yml, replan: x}]
               ^^^^^^
        hint: write approve, quit, {edit: file} or {replan: notes}
      d.yml:1:23  plan[1].edit is empty
        plan: [aprove, {edit: ""}, {edit: f.yml, replan: x}]
                              ^^
      d.yml:1:28  plan[2] is not a decision of this list
        plan: [aprove, {edit: ""}, {edit: f.yml, replan: x}]
                                   ^^^^^^^^^^^^^^^^^^^^^^^^
        hint: write approve, quit, {edit: file} or {replan: notes}
      d.yml:2:13  validation must be a list, not text
        validation: drop
                    ^^^^
        hint: write it as a list: ["drop"]
      d.yml:4:5  validator_failed[0] is not a decision of this list
          - maybe
            ^^^^^
        hint: write retry, manual, skip or {override: reason}
      d.yml:6:5  changesets[0] is not a decision of this list
          - {auth: approve, docs: rejected}
            ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        hint: write approve, skip, recheck, {approve: comments} (also with message), {override: reason} (also with comments, message), {reject: reason} (also with tasks, comments, keep), {choose: {task: attempt}}, {suggest: comments} or a map from cohesion groups to one of these
      d.yml:7:5  changesets[1] is not a decision of this list
          - {reject: 5}
            ^^^^^^^^^^^
        hint: write approve, skip, recheck, {approve: comments} (also with message), {override: reason} (also with comments, message), {reject: reason} (also with tasks, comments, keep), {choose: {task: attempt}}, {suggest: comments} or a map from cohesion groups to one of these
      d.yml:8:11  session[0] is not a decision of this list
        session: [{replan: }]
                  ^^^^^^^^^^
        hint: write continue, retry, stop or {replan: notes}
      d.yml:9:18  budget[0].raise must be more than 0
        budget: [{raise: 0}, {raise: much}]
                         ^
      d.yml:9:22  budget[1] is not a decision of this list
        budget: [{raise: 0}, {raise: much}]
                             ^^^^^^^^^^^^^
        hint: write stop or {raise: amount}
      d.yml:10:1  budgets is not a known key
        budgets: []
        ^^^^^^^
        hint: did you mean budget?`),
  );
});

test('a list at the top', () => {
  assert.equal(errorOf(() => readDecisionsFile('- approve\n', 'd')).lines, [
    'd:1:1  the file must be a map of keys, not a list',
    '  - approve',
    '  ^^^^^^^^^',
  ]);
});

test('a key that an entry can not have is named, with its line and the nearest', () => {
  const text = `validation:
  - {requeue: salt, kep: true}
changesets:
  - {reject: late, coments: []}
`;
  const said = errorText(() => readDecisionsFile(text, 'd.yml'));
  assert.match(said, /d\.yml:2:[\s\S]*validation\[0\]\.kep is not a known key[\s\S]*did you mean keep\?/);
  assert.match(said, /d\.yml:4:[\s\S]*changesets\[0\]\.coments is not a known key[\s\S]*did you mean comments\?/);
});

test.run();
