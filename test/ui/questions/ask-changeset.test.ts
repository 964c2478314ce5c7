import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { decisionsFileSchema } from '../../../lib/domain/config/decisions-file-schema.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import type {
  ChangesetDecision,
  ChangesetQuestion,
  StackedWorkOutcome,
} from '../../../lib/domain/ports/changeset-question.ts';
import type { Gates } from '../../../lib/domain/ports/gates.ts';
import { createDecisionsFileGates } from '../../../lib/ui/questions/create-gates.ts';
import { createTerminalGates } from '../../../lib/ui/questions/terminal-gates.ts';
import { makeFakeIo } from '../../support/fake-io.ts';
import { plainStyle, sampleChangesetQuestion, samplePlan, sampleSessionQuestion, sampleTask } from '../samples.ts';

const two = [sampleTask(), sampleTask({ id: 'task-002' as never, title: 'Lock \u202eout' })];

interface Answered {
  readonly decision: ChangesetDecision;
  readonly said: string;
}

function openTerminal(input: string, editor = 'false', columns = 100) {
  const fake = makeFakeIo({ isTTY: true, columns, input });
  const gates = createTerminalGates(fake.io, {
    ...{ person: 'Lea Lead <lea@example.com>', style: plainStyle(columns) },
    ...{ pager: 'cat', editor, resume: 'git flame run' },
    formatPlan: () => '',
    parsePlan: () => samplePlan,
  })();
  return { gates, said: () => fake.stderr() };
}

async function answer(input: string, question: Partial<ChangesetQuestion> = {}): Promise<Answered> {
  const { gates, said } = openTerminal(input);
  const decision = await gates.changeset({ ...sampleChangesetQuestion(), ...question });
  return { decision, said: said() };
}

test('DSK-2 t sends back the tasks that are named, with a reason', async () => {
  const asked: unknown[] = [];
  const onTop = async (...about: unknown[]): Promise<[]> => {
    asked.push(about);
    return [];
  };
  const { decision, said } = await answer('t\ntask-9\ntask-002 task-002\nNot five.\nn\n', {
    tasks: two,
    onTop,
  });
  assert.equal(decision, { kind: 'reject', reason: 'Not five.', tasks: ['task-002'] });
  assert.match(said, 'It has no task task-9.');
  assert.match(said, 'task-002  Lock ⟦U+202E⟧out');
  assert.equal(asked.at(-1), ['1-auth', ['task-002']]);
  // Enter goes back, at each of the two questions.
  const none = await answer('t\n\nt\ntask-002\n\ns\n', { tasks: two });
  assert.equal(none.decision, { kind: 'skip' });
});

test('DSK-2 what a rejection means for others is said before it is asked, and once', async () => {
  const onTop = async (): Promise<readonly StackedWorkOutcome[]> => [
    { task: 'task-002', group: 'docs', outcome: 'again', paths: [] } as never,
  ];
  const { said } = await answer('r\n\nr\nNot so.\nn\n', { onTop });
  const [before = '', ...after] = said.split('(r)eject');
  assert.match(before, 'Sending this back also affects docs, stacked on it.');
  assert.not.match(after.join(''), 'Sending this back');
});

test('DSK-2 where there is one task, or nothing was decided, the keys for it are not offered', async () => {
  const { said } = await answer('t\nu\ns\n', { tasks: two.slice(0, 1), undoable: async () => [] });
  assert.not.match(said, '(t)ask');
  assert.not.match(said, '(u)ndo');
  assert.is(said.split('Type one of:').length, 3);
});

test('DSK-2 what is said beside a question is wrapped at words, as the question is', async () => {
  const { gates, said } = openTerminal('nonsense\nt\ntask-9\ntask-002\n\ns\n', 'false', 44);
  const title = 'Lock the door of each of the rooms that nobody is in at night';
  const tasks = [sampleTask(), sampleTask({ id: 'task-002' as never, title })];
  await gates.changeset({ ...sampleChangesetQuestion(), tasks });
  const lines = said().split('\n');
  const first = lines.findIndex((line) => line.startsWith('Type one of:'));
  const of = (from: number, count: number): string => lines.slice(from, from + count).join('\n');
  assert.is(of(first, 2), 'Type one of: a (approve), r (reject), t\n(task), v (view), c (comment), s (skip).');
  const task = lines.findIndex((line) => line.startsWith('  task-002  '));
  assert.is(of(task, 2), '  task-002  Lock the door of each of the\n  rooms that nobody is in at night');
});

test('DSK-2 u takes back what is named; what can not be is said, and asked again', async () => {
  const { changeset } = sampleChangesetQuestion();
  const decided = [
    { ...changeset, id: '1-api', group: 'api', state: 'rejected', reason: 'No \u001b[2Jtests.' } as const,
  ];
  const undone: string[] = [];
  const question = {
    undoable: async () => decided,
    takeBack: async (id: string) => void undone.push(id),
  };
  const { decision, said } = await answer('u\nauth\n\nu\napi\n', question);
  assert.equal([decision, undone], [{ kind: 'again' }, ['1-api']]);
  assert.match(said, 'api  sent back: No ␛[2Jtests.');
  assert.match(said, 'There is no decision here to undo for auth.');
  const refused = await answer('u\napi\ns\n', {
    ...question,
    takeBack: async () => {
      throw new FlameError({ kind: 'refused', code: 'not-undoable', message: 'It has landed.', hints: [] });
    },
  });
  assert.equal(refused.decision, { kind: 'skip' });
  assert.match(refused.said, 'It has landed.');
});

test('DSK-2 at the end of a cycle u takes back a decision', async () => {
  const { changeset } = sampleChangesetQuestion();
  const undoable = [{ ...changeset, state: 'rejected', reason: 'No.' } as const];
  const { gates } = openTerminal('u\n\nu\nauth\n');
  const decision = await gates.session({ ...sampleSessionQuestion(), undoable });
  assert.equal(decision, { kind: 'undo', changeset: '1-auth' });
  // What was built again without a task is of the same group.
  const again = { ...changeset, id: '1-auth-2', state: 'approved', reason: null } as const;
  const both = openTerminal('u\n1-auth\n');
  const first = await both.gates.session({ ...sampleSessionQuestion(), undoable: [...undoable, again] });
  assert.equal(first, { kind: 'undo', changeset: '1-auth' });
  assert.match(both.said(), '  1-auth  sent back: No.\n  1-auth-2  approved\n');
  const none = openTerminal('s\n');
  await none.gates.session(sampleSessionQuestion());
  assert.not.match(none.said(), '(u)ndo');
});

test('DSK-2 a decisions file sends back some of the tasks', async () => {
  const wrong = { changesets: [{ reject: 'No.', tasks: [] }] };
  assert.not.ok(decisionsFileSchema.safeParse(wrong).success);
  const gates = createDecisionsFileGates({
    decisions: decisionsFileSchema.parse({
      changesets: [{ reject: 'No.', tasks: ['task-002'], keep: true }],
    }),
    fallback: {} as Gates,
    readFile: async () => '',
    parsePlan: () => samplePlan,
  });
  assert.equal(await gates.changeset(sampleChangesetQuestion()), {
    ...{ kind: 'reject', reason: 'No.', tasks: ['task-002'], keep: true, where: 'decisions file' },
  });
});

interface Edited {
  readonly decision: ChangesetDecision;
  readonly said: string;
  readonly applied: readonly unknown[];
}

/** Answers at a terminal whose editor is a shell command; every file has the lines # one, two and ``` three. */
async function edit(input: string, editor: string, refusal?: FlameError): Promise<Edited> {
  const { gates, said } = openTerminal(input, editor);
  const applied: unknown[] = [];
  const all = ['# one', 'two', '``` three'];
  const decision = await gates.changeset({
    ...sampleChangesetQuestion(),
    linesOf: async (path, { line, to = line }) =>
      path === 'src/a.txt' && to <= all.length ? all.slice(line - 1, to) : null,
    decideOther: async (...decided) => {
      if (refusal !== undefined) throw refusal;
      applied.push(decided);
    },
  });
  return { decision, said: said(), applied };
}

const suggested = (text: string, range: object): unknown => [
  '1-auth',
  { kind: 'suggest', comments: [{ path: 'src/a.txt', side: 'new', ...range, text }] },
];

test('DSK-2 e edits lines in the editor, shows what differs, and applies it as a commit of the person', async () => {
  const { decision, said, applied } = await edit('e\nsrc/a.txt\nsrc/a.txt:9\nsrc/a.txt:2-3\na\n', "sed -i 's/two/2/'");
  assert.equal(decision, { kind: 'again' });
  assert.equal(applied, [suggested('````suggestion\n2\n``` three\n````', { line: 2, to: 3 })]);
  for (const words of ['Write the file, a colon', 'has no lines 9', 'src/a.txt:2-3', '-two\n', '+2\n', '+``` three'])
    assert.match(said, words);
});

test('DSK-2 lines that begin with # and lines that are taken out are edited like others; back changes nothing', async () => {
  const one = await edit('e\nsrc/a.txt:1\na\n', "sed -i 's/one/1/'");
  assert.equal(one.applied, [suggested('```suggestion\n# 1\n```', { line: 1 })]);
  const gone = await edit('e\nsrc/a.txt:2\na\n', 'truncate -s 0');
  assert.equal(gone.applied, [suggested('```suggestion\n```', { line: 2 })]);
  const back = await edit('e\n\ne\nsrc/a.txt:2\nb\ns\n', "sed -i 's/two/2/'");
  assert.equal([back.decision, back.applied], [{ kind: 'skip' }, []]);
  const same = await edit('e\nsrc/a.txt:2\ns\n', 'true');
  assert.equal([same.decision, same.applied], [{ kind: 'skip' }, []]);
});

test('DSK-2 what is refused of edited lines is said, and the changeset still waits', async () => {
  const refusal = new FlameError({
    ...{ kind: 'refused', code: 'suggestion-refused', message: 'It breaks its rules.', hints: [] },
    details: ['secret: src/a.txt: a \u001b[2Jkey'],
  });
  const { decision, said } = await edit('e\nsrc/a.txt:2\na\ns\n', "sed -i 's/two/2/'", refusal);
  assert.equal(decision, { kind: 'skip' });
  assert.match(said, 'It breaks its rules.\nsecret: src/a.txt: a ␛[2Jkey');
});

test.run();
