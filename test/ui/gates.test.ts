import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as z from 'zod';
import { readPlanFile, renderPlanYaml } from '../../lib/config/plan-file.ts';
import { requeueTaskForRemarks } from '../../lib/core/task/take-back-task.ts';
import { decisionsFileSchema } from '../../lib/domain/config/decisions-file-schema.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { parseTaskId } from '../../lib/domain/ids.ts';
import type { Gates, RequeueEdit } from '../../lib/domain/ports/gates.ts';
import { attemptRecordSchema } from '../../lib/domain/state/attempt-record.ts';
import type { Plan } from '../../lib/domain/state/plan-schema.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import { renderRemarksForTask } from '../../lib/engine/review/describe-remarks.ts';
import { createGates } from '../../lib/ui/questions/create-gates.ts';
import { prepareChangesetQuestion } from '../../lib/ui/questions/prepare-changeset-question.ts';
import { createTerminalGates } from '../../lib/ui/questions/terminal-gates.ts';
import { renderChangesetPage } from '../../lib/ui/review-page/render-changeset-page.ts';
import { type FakeIo, makeFakeIo } from '../support/fake-io.ts';
import { makeTempDir } from '../support/repo.ts';
import {
  commitA,
  commitB,
  hostile,
  plainStyle,
  redRun,
  sampleChangesetQuestion,
  samplePlan,
  samplePlanQuestion,
  sampleSessionQuestion,
  sampleTask,
  sampleVerdict,
} from './samples.ts';

const person = 'Lea Lead <lea@example.com>';
const emptyPlan: Plan = { tasks: [] };
const failedTask = {
  task: sampleTask(),
  verdict: sampleVerdict(),
  editProblems: async () => [],
  showDiff: async () => '',
};
const failedValidator = {
  task: sampleTask(),
  reason: 'It crashed.',
  diagnostics: [],
  showDiff: async () => '+a\n',
};
/** Of what a decisions file answers. */
const where = 'decisions file';
const budget = { spent: 10.2, limit: 10, unit: 'usd' } as const;

interface Session {
  readonly fake: FakeIo;
  readonly gates: Gates;
}

function openTerminal(input: string, options: { editor?: string; parsePlan?: (text: string) => Plan } = {}): Session {
  const fake = makeFakeIo({ isTTY: true, columns: 80, input });
  const gates = createTerminalGates(fake.io, {
    person,
    style: plainStyle(),
    pager: 'cat',
    editor: options.editor ?? 'false',
    resume: 'git flame run',
    formatPlan: renderPlanYaml,
    parsePlan: options.parsePlan ?? ((text) => readPlanFile(text, 'plan.yml')),
  })();
  return { fake, gates };
}

async function refusal(promise: Promise<unknown>): Promise<FlameError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof FlameError) return error;
    throw error;
  }
  throw new Error('it was answered');
}

/** An editor whose nth call runs the nth script on its file. */
function scriptedEditor(...scripts: readonly string[]): { command: string; folder: string } {
  const folder = makeTempDir();
  const cases = scripts.map((script, index) => `${index}) ${script} ;;`).join('\n');
  const program = join(folder, 'editor');
  writeFileSync(
    program,
    `#!/bin/sh\nd='${folder}'\nn=$(cat "$d/count" 2>/dev/null || echo 0)\necho $((n + 1)) >"$d/count"\ncp "$1" "$d/seen-$n"\necho "$1" >"$d/file"\ncase $n in\n${cases}\nesac\n`,
  );
  chmodSync(program, 0o755);
  return { command: program, folder };
}

test('PLN-5: a plan is approved, by key or by word; Enter decides nothing', async () => {
  assert.equal(await openTerminal('a\n').gates.plan(samplePlanQuestion()), { kind: 'approve' });
  const { fake, gates } = openTerminal('\nyes\nApprove\n');
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'approve' });
  assert.match(fake.stderr(), /^Plan: Add login with a password\n/);
  assert.match(fake.stderr(), /\(a\)pprove \/ \(v\)iew \/ \(e\)dit \/ \(r\)e-plan \/ \(q\)uit\? /);
  assert.is(fake.stderr().split('Type one of: a (approve), v (view), e (edit), r (re-plan), q (quit).').length, 3);
  assert.is(fake.stdout(), '');
});

test('words of an agent stand behind a mark, and cannot pass for what the program says', async () => {
  const { fake, gates } = openTerminal('2\n');
  const forged = `Which one?\nwarning: your session is over\n${'more\n'.repeat(40)}\u001b[2J`;
  const answered = await gates.question?.({
    ...{ agent: 'worker-1a2b3c4d', task: 'task-001', title: 'Add it' },
    questions: [
      {
        question: forged,
        options: ['a', 'b\n(a)pprove? '].map((label) => ({ label, description: '' })),
        isSeveral: false,
      },
    ],
    until: '2026-02-06T15:00:00.000Z',
    withdrawn: new AbortController().signal,
  });
  assert.is(answered?.kind, 'answer');
  const lines = fake.stderr().split('\n');
  const theirs = lines.slice(
    1,
    lines.findIndex((line) => line.includes('Answer (')),
  );
  assert.ok(theirs.includes('  │ warning: your session is over'), fake.stderr());
  const others = theirs.filter((line) => !line.startsWith('  │ '));
  assert.is(others.length, 1, others.join('\n'));
  assert.match(others[0] ?? '', /^and 2\d more lines: git flame answer shows them$/);
});

test('DSK-6 an answer that says nothing is refused, and asked for again', async () => {
  const { fake, gates } = openTerminal('\u200b\nSQLite\n');
  const answered = await gates.question?.({
    ...{ agent: 'worker-1a2b3c4d', task: 'task-001', title: 'Add it' },
    questions: [{ question: 'Which database?', options: [], isSeveral: false }],
    until: '2026-02-06T15:00:00.000Z',
    withdrawn: new AbortController().signal,
  });
  assert.equal(answered, { kind: 'answer', answers: ['SQLite'] });
  assert.match(fake.stderr(), 'there is no answer to: Which database?');
  const time = new Date('2026-02-06T15:00:00.000Z').toTimeString().slice(0, 5);
  assert.match(fake.stderr(), `or none by ${time}: it continues without one)`);
});

test('PLN-5: what each worker will be told is seen before the plan is approved', async () => {
  const { fake, gates } = openTerminal('v\na\n');
  const question = samplePlanQuestion();
  assert.equal(await gates.plan(question), { kind: 'approve' });
  for (const { id, title, description } of question.plan.tasks)
    assert.match(fake.stdout() + fake.stderr(), `${id}: ${title}\n  ${description.split('\n')[0]}`);
});

test('how to answer, and the way out, is said once, at the first question', async () => {
  const { fake, gates } = openTerminal('a\ns\n');
  await gates.plan(samplePlanQuestion());
  await gates.session(sampleSessionQuestion());
  const said = 'Type a letter, then Enter. Ctrl-D leaves the question open; everything is kept.';
  assert.is(fake.stderr().split(said).length, 2, fake.stderr());
});

test('PLN-5: a re-plan wants notes', async () => {
  const { fake, gates } = openTerminal('r\n\nsmaller tasks\n');
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'replan', notes: 'smaller tasks' });
  assert.match(fake.stderr(), /It cannot be empty\./);
});

test('PLN-5: quitting is always possible, and asked about: a slip of the finger ends no session', async () => {
  const { fake, gates } = openTerminal('q\nn\nq\ny\n');
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'quit' });
  const asked = fake
    .stderr()
    .split('If you quit, the session ends without this plan; to keep the plan, leave the question open.');
  assert.is(asked.length, 3);
});

test('PLN-5: without re-plans left it suggests writing the plan by hand', async () => {
  const { fake, gates } = openTerminal('r\nq\ny\n');
  assert.equal(await gates.plan(samplePlanQuestion({ replansLeft: 0 })), { kind: 'quit' });
  assert.match(fake.stderr(), /next: git flame plan --from FILE\n/);
  assert.match(fake.stderr(), /Type one of: a \(approve\), v \(view\), e \(edit\), q \(quit\)\./);
});

test('a plan with mistakes cannot be approved', async () => {
  const { fake, gates } = openTerminal('a\nq\ny\n');
  assert.equal(await gates.plan(samplePlanQuestion({ problems: ['a waits for a'] })), { kind: 'quit' });
  assert.match(fake.stderr(), /Type one of: v \(view\), e \(edit\)/);
});

test('TSK-5: the plan is edited as YAML', async () => {
  const editor = scriptedEditor('sed -i s/scrypt/bcrypt/ "$1"');
  const { gates } = openTerminal('e\n', { editor: editor.command });
  const tasks = samplePlan.tasks.map((task) => ({
    ...task,
    description: 'Hash every password with bcrypt.',
  }));
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'edit', plan: { tasks } });
  assert.not.ok(existsSync(readFileSync(join(editor.folder, 'file'), 'utf8').trim()));
});

test('TSK-5: without a format of its own the plan is edited as bare YAML, and read back whole', async () => {
  const editor = scriptedEditor('sed -i "s/priority: 2/priority: 3/" "$1"');
  const fake = makeFakeIo({ isTTY: true, input: 'e\n' });
  const gates = createTerminalGates(fake.io, {
    person,
    style: plainStyle(),
    pager: 'cat',
    editor: editor.command,
    resume: 'git flame plan',
    parsePlan: (text) => readPlanFile(text, 'plan.yml'),
  })();
  const [first, second, ...others] = samplePlan.tasks;
  const plan = { tasks: [first, { ...second, priority: 3 }, ...others] };
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'edit', plan });
});

test('TSK-5: a bad edit is shown with line and reason, the editor opens again, nothing is lost', async () => {
  const editor = scriptedEditor(
    'sed -i "s/priority: 2/priority: soon/" "$1"',
    'sed -i "s/priority: soon/priority: 3/" "$1"',
  );
  const { fake, gates } = openTerminal('e\n', { editor: editor.command });
  const [first, second, ...others] = samplePlan.tasks;
  const tasks = [first, { ...second, priority: 3 }, ...others];
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'edit', plan: { tasks } });
  assert.match(fake.stderr(), /error: [^\n]+\n {2}plan\.yml:\d+:\d+/);
  const offered = readFileSync(join(editor.folder, 'seen-1'), 'utf8').split('\n');
  assert.match(offered[0] ?? '', '#! plan.yml has a mistake. Each mistake is described above its line.');
  const at = offered.findIndex((line) => /priority: soon/.test(line));
  assert.match(offered[at - 1] ?? '', /^#! tasks\[1\]\.priority .+:$/);
});

test('PLN-5: what only the whole plan has wrong stands at its task; comments of the person stay', async () => {
  const editor = scriptedEditor(
    'sed -i -e "s/dependencies: .task-001./dependencies: [task-009]/" -e "1i # my own words" "$1"',
    'sed -i "s/task-009/task-001/" "$1"',
  );
  const { fake, gates } = openTerminal('e\n', { editor: editor.command });
  const check = (plan: Plan) =>
    plan.tasks
      .filter(({ dependencies }) => dependencies.some((id) => id === 'task-009'))
      .map(({ id }) => ({ task: id, message: "depends on task-009, which doesn't exist" }));
  const decision = await gates.plan(samplePlanQuestion({ check }));
  assert.is(decision.kind, 'edit');
  assert.match(fake.stderr(), /error: The plan has a mistake\.\n {2}plan\.yml:\d+ {2}task-002 depends on task-009/);
  const offered = readFileSync(join(editor.folder, 'seen-1'), 'utf8').split('\n');
  const at = offered.findIndex((line) => /id: task-002/.test(line));
  assert.is(offered[at - 1], "#! task-002 depends on task-009, which doesn't exist:");
  // The next edit of that plan begins with what was written.
  if (decision.kind !== 'edit') return;
  const again = scriptedEditor('true');
  const second = openTerminal('e\nq\ny\n', { editor: again.command });
  await second.gates.plan(samplePlanQuestion({ plan: decision.plan }));
  assert.match(readFileSync(join(again.folder, 'seen-0'), 'utf8'), /^# my own words\n/);
});

test('TSK-5: giving up on a bad edit keeps it in a file that is named', async () => {
  const editor = scriptedEditor('echo "  oops: [" >>"$1"', 'true');
  const parsePlan = (): Plan => {
    throw new FlameError({ kind: 'refused', code: 'bad-plan', message: 'The plan has 1 mistake.' });
  };
  const { fake, gates } = openTerminal('e\nq\ny\n', { editor: editor.command, parsePlan });
  assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'quit' });
  const file = readFileSync(join(editor.folder, 'file'), 'utf8').trim();
  assert.ok(fake.stderr().includes(`Nothing was changed; your text is in ${file}\n`));
  assert.match(readFileSync(file, 'utf8'), /oops/);
});

test('TSK-5: an edit that changes or leaves nothing, or an editor that fails, goes back to the question', async () => {
  for (const script of ['true', ': >"$1"', 'exit 3']) {
    const editor = scriptedEditor(script);
    const { fake, gates } = openTerminal('e\nq\ny\n', { editor: editor.command });
    assert.equal(await gates.plan(samplePlanQuestion()), { kind: 'quit' });
    assert.match(fake.stderr(), /Nothing was changed\.\n/);
    assert.not.ok(existsSync(readFileSync(join(editor.folder, 'file'), 'utf8').trim()));
  }
});

test('MRG-4: a changeset is approved, skipped, or rejected with a reason', async () => {
  const ask = (input: string) => openTerminal(input).gates.changeset(sampleChangesetQuestion());
  assert.equal(await ask('a\n'), { kind: 'approve' });
  assert.equal(await ask('s\n'), { kind: 'skip' });
  assert.equal(await ask('reject\nno tests\n\nn\n'), { kind: 'reject', reason: 'no tests' });
  assert.equal(await ask('reject\nno tests\nkeep\n'), { kind: 'reject', reason: 'no tests', keep: true });
  // Enter alone goes back: who chose the wrong key is not held to it.
  assert.equal(await ask('reject\n  \nc\n\na\n'), { kind: 'approve' });
});

/** A done task with three attempts: the second handed in nothing. */
function severalTries(id: string): Task {
  const one = { agent_id: 'worker-0000000a', adapter: 'claude', model: 'opus', notes: '', left: [] };
  const spent = { cost_usd: 0.5, tokens: 10 };
  const oid = 'd'.repeat(40);
  const work = { commit: oid, start: oid, files: 1, lines: 12 };
  const failure = { kind: 'violation', message: 'Out of scope.', details: [], retryable: true, rules: [] };
  const tries = [
    { ...one, ...spent, ended: 'handed-in', work, failing: [], verdict: 'pass', chosen: true },
    { ...one, ...spent, ended: 'failed', failure },
    { ...one, ...spent, ended: 'handed-in', work, failing: ['npm test'], verdict: 'fail' },
  ];
  return sampleTask({
    id: parseTaskId(id),
    status: 'done',
    tries: z.array(attemptRecordSchema).parse(tries),
  });
}

/** As a task is after a round of its pull request was taken up, made and handed in. */
function answering(id: string): Task {
  const landed = sampleTask({
    ...{ id: parseTaskId(id), status: 'merged', commit: commitB, start_commit: commitA },
    history: [],
  });
  const remark = { path: 'src/a.ts', side: 'new', line: 3, text: 'ada: Five\u202e is <b>too few.' } as const;
  const notes = renderRemarksForTask([
    { id: 'w', kind: 'whole', text: 'ben: Nice.' },
    ...Array.from({ length: 30 }, (_, at) => ({
      id: `${at}`,
      kind: 'check' as const,
      text: `The check ${at}`,
    })),
  ]).notes;
  const { task } = requeueTaskForRemarks(landed, {
    summary: '1 remark',
    notes,
    comments: [remark],
    at: 'now',
  });
  return { ...task, status: 'done', commit: commitA } as Task;
}

test('RND-2: the remarks that a later round answers are at its gate, bounded, on its pages, and with no round before', async () => {
  const question = { ...sampleChangesetQuestion(), tasks: [answering('task-001')] };
  const { fake, gates } = openTerminal('s\n');
  await gates.changeset(question);
  const shown = fake.stderr();
  assert.match(shown, /Addresses these review comments:\n +- task-001: src\/a\.ts:3 ada: Five\S* is <b>too few\.\n/);
  assert.not.match(shown, '\u202e');
  assert.match(shown, /- task-001: ben: Nice\.\n/);
  assert.match(shown, /- task-001: The check 17\n +- task-001: 12 more: git flame show task-001\n/);
  const { asks } = await prepareChangesetQuestion(question);
  assert.is(asks.gate === 'changesets' ? asks.answers?.length : null, 21);
  const facts = { ...question, doubts: [], runs: [], isUndoable: false, tryCommand: null };
  const page = renderChangesetPage(facts, { files: [] });
  assert.match(
    page,
    /Addresses these review comments[\s\S]*<li class="text">task-001: src\/a\.ts:3 ada: Five.* is &#60;b&#62;too few/,
  );
  // What landed first is what the remarks are about.
  const first = { ...question.changeset, state: 'landed' as const, works: [commitB] };
  assert.not.match(
    renderChangesetPage({ ...facts, changeset: first }, { files: [] }),
    'Addresses these review comments',
  );
});

test('RND-4: the attempts at a task are shown at its gate, and another one is chosen there', async () => {
  const question = { ...sampleChangesetQuestion(), tasks: [severalTries('task-001')] };
  const { fake, gates } = openTerminal('o\n2\nx\n3\n');
  assert.equal(await gates.changeset(question), { kind: 'choose', task: 'task-001', attempt: 3 });
  const shown = fake.stderr();
  assert.match(
    shown,
    /\* 1\. {2}worker-0000000a {2}claude opus {2}diagnostics ok {2}pass {2}12 lines {2}\$0\.50, 10 tokens/,
  );
  assert.match(shown, /\b2\. {2}worker-0000000a {2}claude opus {2}\$0\.50, 10 tokens\n {9}Out of scope\./);
  assert.match(shown, /\b3\. .* {2}1 failed {2}fail {2}12 lines/);
  assert.match(shown, /Type one of: 3\./);
  const facts = { ...question, doubts: [], runs: [], isUndoable: false, tryCommand: null };
  const page = renderChangesetPage(facts, { files: [] });
  assert.match(page, /<td>2<\/td><td><code>worker-0000000a<\/code> <span class="quiet text">Out of scope\.<\/span>/);
  assert.match(page, /git flame task choose task-001 --attempt N/);
  const two = { ...question, tasks: [severalTries('task-001'), severalTries('task-002')] };
  const named = openTerminal('other\n3\ntask-002 3\n');
  assert.equal(await named.gates.changeset(two), { kind: 'choose', task: 'task-002', attempt: 3 });
  const back = openTerminal('o\n\ns\n');
  assert.equal(await back.gates.changeset(question), { kind: 'skip' });
  const none = openTerminal('o\ns\n');
  assert.equal(await none.gates.changeset(sampleChangesetQuestion()), { kind: 'skip' });
  assert.not.match(none.fake.stderr(), /other attempt/);
});

test('RND-4: where the chosen attempt failed its validation, another one is chosen at that gate', async () => {
  const { gates } = openTerminal('o\n3\n');
  const question = { ...failedTask, task: severalTries('task-001') };
  assert.equal(await gates.validation(question), { kind: 'choose', attempt: 3 });
});

test('MRG-6: view opens the pager with the diff, then asks again', async () => {
  const { fake, gates } = openTerminal('v\na\n');
  assert.equal(await gates.changeset(sampleChangesetQuestion()), { kind: 'approve' });
  assert.match(fake.stdout(), /\n-old␍\n\+new⟦U\+202E⟧\n/);
});

test('DSK-3: the message a changeset lands with is written in the editor, and goes along with the approval', async () => {
  const showMessage = async (): Promise<string> => 'one: Say a\n\nTask: a\n';
  const question = { ...sampleChangesetQuestion(), showMessage };
  const edited = openTerminal('m\na\n', { editor: "sed -i 's/^one: .*/feat: a/'" });
  const message = 'feat: a\n\nTask: a';
  assert.equal(await edited.gates.changeset(question), { kind: 'approve', message });
  assert.match(edited.fake.stderr(), /When you approve it, it lands as: feat: a$/m);
  const left = openTerminal('m\na\n', { editor: 'true' });
  assert.equal(await left.gates.changeset(question), { kind: 'approve' });
});

test('MRG-8: a red changeset is approved only with a reason', async () => {
  const question = sampleChangesetQuestion({ diagnostics: [redRun] });
  const { fake, gates } = openTerminal('a\n\na\nflaky test\n');
  assert.equal(await gates.changeset(question), { kind: 'approve', override: 'flaky test' });
  assert.match(fake.stderr(), /Without a reason it is not approved\./);
});

test('VAL-5: requeue with notes, with an edit, or drop', async () => {
  const ask = (input: string, editor?: string) =>
    openTerminal(input, editor === undefined ? {} : { editor }).gates.validation(failedTask);
  assert.equal(await ask('d\n\nno longer wanted\n'), { kind: 'drop', reason: 'no longer wanted' });
  assert.equal(await ask('c\n'), { kind: 'recheck' });
  assert.equal(await ask('r\nuse a salt\nn\n'), { kind: 'requeue', notes: 'use a salt' });
  assert.equal(await ask('r\n\nk\n'), { kind: 'requeue', notes: 'The salt is constant.', keep: true });
  assert.equal(await ask('p\n\n \u200b\nThe service was down.\n'), {
    kind: 'pass',
    override: 'The service was down.',
  });
  const editor = scriptedEditor(`sed -i 's/scrypt/bcrypt/; s#src/auth/#src/login/#' "$1"`);
  assert.equal(await ask('e\nk\n', editor.command), {
    kind: 'requeue',
    notes: 'The salt is constant.',
    description: 'Hash every password with bcrypt.',
    file_locks: ['src/login/'],
    keep: true,
  });
});

test('VAL-5: what failed is read before it is decided about', async () => {
  const { fake, gates } = openTerminal('v\nc\n');
  const showDiff = async (): Promise<string> => sampleChangesetQuestion().showDiff();
  assert.equal(await gates.validation({ ...failedTask, showDiff }), { kind: 'recheck' });
  assert.match(fake.stdout(), /\n-old␍\n\+new⟦U\+202E⟧\n/);
});

test('VAL-5: a bad edit of a task names its lines', async () => {
  const editor = scriptedEditor(
    `printf 'notes: x\\ndescription: ""\\nfile_locks: [1]\\n' >"$1"`,
    `printf 'notes: x\\ndescription: [\\n' >"$1"`,
    `printf 'description: y\\n' >"$1"`,
  );
  const { fake, gates } = openTerminal('e\nn\n', { editor: editor.command });
  assert.equal(await gates.validation(failedTask), {
    kind: 'requeue',
    notes: '',
    description: 'y',
    file_locks: [],
  });
  assert.match(fake.stderr(), /\n {2}line 2: description /);
  assert.match(fake.stderr(), /\n {2}line 3: file_locks\.0 /);
  assert.is(fake.stderr().split('error: The edited task cannot be used.').length, 3);
});

test('VAL-5: an edit of a task that breaks the rules of plans is opened again with what is wrong', async () => {
  const editor = scriptedEditor(`sed -i 's#src/auth/#../x#' "$1"`, `sed -i 's#\\.\\./x#src/login/#' "$1"`);
  const { fake, gates } = openTerminal('e\nn\n', { editor: editor.command });
  const editProblems = async ({ file_locks = [] }: RequeueEdit): Promise<readonly string[]> =>
    file_locks.filter((lock) => lock.startsWith('..')).map((lock) => `${lock} leaves the repository`);
  const decision = await gates.validation({ ...failedTask, editProblems });
  assert.equal('file_locks' in decision && decision.file_locks, ['src/login/']);
  assert.match(fake.stderr(), /error: The edited task cannot be used\.\n {2}\.\.\/x leaves the repository/);
});

test('MRG-11: comments on lines typed at the terminal go along with the decision, and are dropped by nothing but a word', async () => {
  const ask = (input: string) => {
    const { fake, gates } = openTerminal(input);
    return { fake, answer: gates.changeset(sampleChangesetQuestion()) };
  };
  const { fake, answer } = ask('c\nsrc/a.ts\nsrc/a.ts:12 close: this\nc\nb c.txt:-3: why gone?\nr\nTwo remarks\nn\n');
  assert.equal(await answer, {
    kind: 'reject',
    reason: 'Two remarks',
    comments: [
      { path: 'src/a.ts', side: 'new', line: 12, text: 'close: this' },
      { path: 'b c.txt', side: 'old', line: 3, text: 'why gone?' },
    ],
  });
  assert.match(fake.stderr(), /Write the file, a colon, the line and your comment/);
  const approved = ask('c\nsrc/a.ts:1 x\na\n');
  const comments = [{ path: 'src/a.ts', side: 'new', line: 1, text: 'x' }];
  assert.equal(await approved.answer, { kind: 'approve', comments });
  const skipped = ask('c\nsrc/a.ts:1 x\ns\nb\ns\nd\n');
  assert.equal(await skipped.answer, { kind: 'skip' });
  assert.match(skipped.fake.stderr(), /\(d\)rop the comments/);
});

test('MRG-11: a comment on a file that no task changed is told and asked about again', async () => {
  const strayComment = async ({ path }: { readonly path: string }) =>
    path === 'src/a.ts' ? null : `No task changed ${path}.`;
  const { fake, gates } = openTerminal('c\nsrc/b.ts:1 x\na\nsrc/a.ts:1 y\nc\nREADME.md:1 z\nk\nr\nno\nn\n');
  const answer = await gates.changeset({ ...sampleChangesetQuestion(), strayComment });
  const comment = { side: 'new', line: 1 };
  assert.equal(answer, {
    ...{ kind: 'reject', reason: 'no' },
    comments: [
      { ...comment, path: 'src/a.ts', text: 'y' },
      { ...comment, path: 'README.md', text: 'z' },
    ],
  });
  assert.match(fake.stderr(), /No task changed src\/b\.ts\.[\s\S]*No task changed README\.md\./);
});

test('a question that was answered on the page is withdrawn from the terminal, and the next one can be asked', async () => {
  const fake = makeFakeIo({ isTTY: true, columns: 80 });
  const terminal = createTerminalGates(fake.io, {
    person,
    style: plainStyle(),
    pager: 'cat',
    editor: 'false',
    resume: 'git flame run',
    formatPlan: renderPlanYaml,
    parsePlan: () => emptyPlan,
  });
  const answered = new AbortController();
  const asked = terminal({ withdrawn: answered.signal }).changeset(sampleChangesetQuestion());
  answered.abort(new Error('It was answered elsewhere.'));
  const outcome = await asked.catch((error: Error) => error.message);
  assert.is(outcome, 'It was answered elsewhere.');
  fake.type('s\n');
  assert.equal(await terminal().changeset(sampleChangesetQuestion()), { kind: 'skip' });
});

test('VAL-4: a validator that failed twice: retry, skip, or judge by hand with the diff', async () => {
  const ask = (input: string) => openTerminal(input).gates.validatorFailed(failedValidator);
  assert.equal(await ask('r\n'), { kind: 'retry' });
  assert.equal(await ask('s\n'), { kind: 'skip' });
  assert.equal(await ask('m\np\nread it all\n'), { kind: 'manual', status: 'pass', notes: 'read it all' });
  assert.equal(await ask('m\nf\n\nno salt\n'), { kind: 'manual', status: 'fail', notes: 'no salt' });
});

test('VAL-3: a manual pass over a failing check shows it and asks why, whoever answers', async () => {
  const failing = {
    ...{ command: 'npm test', exit_code: 1, timed_out: false, duration_ms: 5, output: '1 of 9 failed' },
  };
  const question = { ...failedValidator, diagnostics: [failing] };
  const { fake, gates } = openTerminal('m\np\n\nflaky on this machine\n');
  const reason = 'flaky on this machine';
  assert.equal(await gates.validatorFailed(question), {
    ...{ kind: 'manual', status: 'pass', notes: reason, override: reason },
  });
  assert.match(fake.stderr(), /failed: npm test ended with 1[\s\S]*1 of 9 failed/);
  const given = decide({ validator_failed: ['manual', { override: reason }] }, async () => '');
  const error = await refusal(given.validatorFailed(question));
  assert.match(String(error.lines), /\{override: REASON\}/);
  assert.equal(await given.validatorFailed(question), {
    ...{ kind: 'manual', status: 'pass', notes: reason, override: reason, where },
  });
});

test('MRG-7: after a review: continue, re-plan or stop', async () => {
  const ask = (input: string, cyclesLeft = 4) =>
    openTerminal(input).gates.session(sampleSessionQuestion({ cyclesLeft }));
  assert.equal(await ask('c\n'), { kind: 'continue' });
  assert.equal(await ask('s\n'), { kind: 'stop' });
  assert.equal(await ask('r\ndocs first\n'), { kind: 'replan', notes: 'docs first' });
  assert.equal(await ask('c\ns\n', 0), { kind: 'stop' });
});

test('MRG-7: what failed is tried again where it was asked for, at the end of a session too', async () => {
  const summary = { approved: 1, requeued: 0, blocked: 1, open: 0, failed: 2 };
  const between = openTerminal('t\n');
  assert.equal(await between.gates.session(sampleSessionQuestion({ summary })), { kind: 'retry' });
  const ask = (input: string, failed = 2) => {
    const { fake, gates } = openTerminal(input);
    const answer = gates.leftOver?.(sampleSessionQuestion({ summary: { ...summary, failed } }));
    return { fake, answer };
  };
  const once = ask('c\nretry\n');
  assert.equal(await once.answer, { kind: 'retry' });
  assert.match(once.fake.stderr(), /failed +2 tasks[\s\S]*another attempt at 2 tasks that failed/);
  assert.equal(await ask('r\nsmaller\n').answer, { kind: 'replan', notes: 'smaller' });
  assert.equal(await ask('s\n').answer, { kind: 'stop' });
  // Nothing failed: what is blocked needs another plan.
  assert.equal(await ask('t\ns\n', 0).answer, { kind: 'stop' });
});

test('MRG-7: an answer given beforehand decides at the end of a session; without one it ends', async () => {
  const left = (session: unknown[]) => decide({ session }).leftOver?.(sampleSessionQuestion());
  assert.equal(await left(['retry']), { kind: 'retry', where });
  assert.equal(await left([{ replan: 'smaller' }]), { kind: 'replan', notes: 'smaller', where });
  assert.equal(await left(['stop']), { kind: 'stop', where });
  assert.is(await left([]), null);
  // There is nothing to continue with.
  assert.is(await left(['continue', 'retry']), null);
  assert.equal(await decide({ session: ['retry'] }).session(sampleSessionQuestion()), {
    kind: 'retry',
    where,
  });
});

test('VAL-5 MRG-8: where no person is, what failed is shown with the end of what it printed', async () => {
  const output = `${Array.from({ length: 12 }, (_, n) => `line ${n + 1}`).join('\n')}\n`;
  const verdict = { ...failedTask.verdict, issues: ['npm test ended with 1:\nno salt'] };
  const task = await refusal(decide({}).validation({ ...failedTask, verdict }));
  assert.match(task.lines.join('\n'), /npm test ended with 1:\n *no salt\n *Answer at a terminal/);
  const diagnostics = [{ ...redRun, output }];
  const red = await refusal(decide({}).changeset(sampleChangesetQuestion({ diagnostics })));
  const said = red.lines.join('\n');
  assert.match(said, /Failed: npm test \(exit 1\)\n +line 3\n/);
  assert.match(said, /line 12\n *Answer at a terminal/);
  assert.not.match(said, /line 2\n/);
});

test('BUD-2: a spent budget is raised by an amount, or the session stops', async () => {
  const ask = (input: string) => openTerminal(input).gates.budget(budget);
  assert.equal(await ask('s\n'), { kind: 'stop' });
  assert.equal(await ask('r\nlots\n0\n$2.50\n'), { kind: 'raise', amount: 2.5 });
  const tokens = openTerminal('r\n1.5\n50,000\n').gates.budget({ spent: 9, limit: 8, unit: 'tokens' });
  assert.equal(await tokens, { kind: 'raise', amount: 50_000 });
});

const questions: readonly (readonly [string, string, (gates: Gates) => Promise<unknown>])[] = [
  ['plan', '', (gates) => gates.plan(samplePlanQuestion())],
  ['plan', 'r\n', (gates) => gates.plan(samplePlanQuestion())],
  ['validation', '', (gates) => gates.validation(failedTask)],
  ['validation', 'r\n', (gates) => gates.validation(failedTask)],
  ['validator_failed', '', (gates) => gates.validatorFailed(failedValidator)],
  ['validator_failed', 'm\nf\n', (gates) => gates.validatorFailed(failedValidator)],
  ['changesets', '', (gates) => gates.changeset(sampleChangesetQuestion())],
  ['changesets', 'r\n\n', (gates) => gates.changeset(sampleChangesetQuestion())],
  ['session', '', (gates) => gates.session(sampleSessionQuestion())],
  ['session', 'r\n', (gates) => gates.session(sampleSessionQuestion())],
  ['budget', '', (gates) => gates.budget(budget)],
  ['budget', 'r\n', (gates) => gates.budget(budget)],
];

for (const [gate, typed, ask] of questions) {
  test(`the end of the input at the ${gate} gate after ${JSON.stringify(typed)} waits for a person`, async () => {
    const { fake, gates } = openTerminal(typed);
    fake.endInput();
    const error = await refusal(ask(gates));
    assert.equal([error.kind, error.code, error.data], ['waiting', 'waits-for-person', { gate }]);
    assert.ok(error.hints.includes('git flame run --decisions-file FILE'), String(error.hints));
    assert.match(error.lines.join('\n'), new RegExp(`for --decisions-file: ${gate}: \\[`));
    // It stays at its end.
    assert.is((await refusal(ask(gates))).code, 'waits-for-person');
  });
}

test('an abort during a question ends it with its reason', async () => {
  const { fake, gates } = openTerminal('');
  const asked = refusal(gates.session(sampleSessionQuestion()));
  fake.interrupt(new FlameError({ kind: 'interrupted', code: 'interrupted', message: 'Interrupted.' }));
  assert.is((await asked).kind, 'interrupted');
});

test('Ctrl-C at a question names the command that asks it again', async () => {
  const fake = makeFakeIo({ isTTY: true, columns: 80, input: '' });
  const gates = gatesOf(fake, 'git flame review');
  const asked = refusal(gates.changeset(sampleChangesetQuestion()));
  fake.interrupt(new FlameError({ kind: 'interrupted', code: 'interrupted', message: 'Interrupted.' }));
  const { kind, message, hints } = await asked;
  assert.equal([kind, hints], ['interrupted', ['git flame review']]);
  assert.match(message, /question stays open/);
});

function gatesOf(fake: FakeIo, resume: string): Gates {
  return createGates(fake.io, {
    person,
    style: plainStyle(),
    pager: 'cat',
    editor: 'false',
    resume,
    formatPlan: renderPlanYaml,
    parsePlan: () => emptyPlan,
    decisions: null,
    readFile: async () => '',
  });
}

test('where nobody can answer, the error names the commands that go on', async () => {
  const fake = makeFakeIo({ input: 'a\n' });
  const gates = gatesOf(fake, 'git flame review');
  assert.equal([gates.isInteractive, gates.person], [false, person]);
  const error = await refusal(gates.changeset(sampleChangesetQuestion()));
  assert.equal([error.kind, error.code], ['waiting', 'waits-for-person']);
  assert.is(error.message, 'Changeset auth waits for a person.');
  assert.equal(error.hints, [
    'git flame review --changeset auth --approve',
    'git flame review --changeset auth --reject REASON',
    'git flame review --changeset auth --skip',
    'git flame review',
    'git flame review --decisions-file FILE',
  ]);
  const red = await refusal(gates.changeset(sampleChangesetQuestion({ diagnostics: [redRun] })));
  assert.is(red.hints[0], 'git flame review --changeset auth --override REASON');
  for (const [gate, , ask] of questions) assert.equal((await refusal(ask(gates))).data, { gate });
  const other = gatesOf(fake, 'git flame run --session ses-20260101-000000-abcd');
  for (const hint of (await refusal(other.changeset(sampleChangesetQuestion()))).hints)
    assert.match(hint, / --session ses-20260101-000000-abcd/);
});

function decide(decisions: unknown, readFile: (path: string) => Promise<string> = async () => ''): Gates {
  return createGates(makeFakeIo().io, {
    person,
    style: plainStyle(),
    pager: 'cat',
    editor: 'false',
    resume: 'git flame run',
    formatPlan: renderPlanYaml,
    parsePlan: (text) => (text === 'good' ? samplePlan : emptyPlan),
    decisions: decisionsFileSchema.parse(decisions),
    readFile,
  });
}

test('CLI-2: what is decided for all changesets answers each one that nothing else answers', async () => {
  const gates = decide({ changesets: ['skip', { one: { reject: 'salt' }, all: 'approve' }] });
  const answers = [];
  for (const group of ['one', 'one', 'two', 'one']) {
    const question = sampleChangesetQuestion();
    const answer = await gates.changeset({ ...question, changeset: { ...question.changeset, group } });
    answers.push(answer.kind);
  }
  assert.equal(answers, ['skip', 'reject', 'approve', 'approve']);
  assert.equal(await decide({ validation: [{ drop: 'not wanted' }] }).validation(failedTask), {
    kind: 'drop',
    reason: 'not wanted',
    where,
  });
});

test('CLI-2: decisions given beforehand are used in order, then it waits', async () => {
  const gates = decide(
    {
      plan: [{ replan: 'smaller' }, { edit: 'plan.yml' }, 'approve', 'quit'],
      validation: [{ requeue: 'salt', keep: true }, { override: 'It was down.' }, 'recheck', 'drop'],
      validator_failed: ['retry', 'manual', 'skip'],
      session: ['continue', { replan: 'docs' }, 'stop'],
      budget: [{ raise: 5 }, 'stop'],
    },
    async (path) => (path === 'plan.yml' ? 'good' : ''),
  );
  assert.is(gates.isInteractive, false);
  const ask = {
    plan: () => gates.plan(samplePlanQuestion()),
    validation: () => gates.validation(failedTask),
    validator: () => gates.validatorFailed(failedValidator),
    session: () => gates.session(sampleSessionQuestion()),
    budget: () => gates.budget(budget),
  };
  assert.equal(await ask.plan(), { kind: 'replan', notes: 'smaller', where });
  assert.equal(await ask.plan(), { kind: 'edit', plan: samplePlan, where });
  assert.equal(await ask.plan(), { kind: 'approve', where });
  assert.equal(await ask.plan(), { kind: 'quit', where });
  assert.equal(await ask.validation(), { kind: 'requeue', notes: 'salt', keep: true, where });
  assert.equal(await ask.validation(), { kind: 'pass', override: 'It was down.', where });
  assert.equal(await ask.validation(), { kind: 'recheck', where });
  assert.equal(await ask.validation(), { kind: 'drop', where });
  assert.equal(await ask.validator(), { kind: 'retry', where });
  assert.equal((await ask.validator()).kind, 'manual');
  assert.equal(await ask.validator(), { kind: 'skip', where });
  assert.equal(await ask.session(), { kind: 'continue', where });
  assert.equal(await ask.session(), { kind: 'replan', notes: 'docs', where });
  assert.equal(await ask.session(), { kind: 'stop', where });
  assert.equal(await ask.budget(), { kind: 'raise', amount: 5, where });
  assert.equal(await ask.budget(), { kind: 'stop', where });
  for (const one of Object.values(ask)) assert.is((await refusal(one())).code, 'waits-for-person');
});

test('changeset decisions: plain ones for any, maps by group and cycle', async () => {
  const gates = decide({
    changesets: [
      { auth: 'approve', ui: { reject: 'no tests' } },
      { ui: 'approve' },
      'skip',
      { reject: 'late', keep: true },
      { override: 'flaky' },
      { reject: 'twice', comments: [{ path: 'a.ts', line: 2, text: 'here' }] },
    ],
  });
  const ask = (group: string) => gates.changeset(sampleChangesetQuestion({ group }));
  assert.equal(await ask('auth'), { kind: 'approve', where });
  assert.equal(await ask('docs'), { kind: 'skip', where });
  assert.equal(await ask('ui'), { kind: 'reject', reason: 'no tests', where });
  assert.equal(await ask('ui'), { kind: 'approve', where });
  assert.equal(await ask('auth'), { kind: 'reject', reason: 'late', keep: true, where });
  assert.equal(await ask('auth'), { kind: 'approve', override: 'flaky', where });
  assert.equal(await ask('auth'), {
    kind: 'reject',
    where,
    reason: 'twice',
    comments: [{ path: 'a.ts', side: 'new', line: 2, text: 'here' }],
  });
  assert.is((await refusal(ask('auth'))).code, 'waits-for-person');
});

test('MRG-8: a plain approve given beforehand does not land a red changeset', async () => {
  const gates = decide({ changesets: ['approve'] });
  const error = await refusal(gates.changeset(sampleChangesetQuestion({ diagnostics: [redRun] })));
  assert.match(error.message, /^Changeset auth, whose diagnostics fail, waits for a person\.$/);
});

test('a decisions file is checked: unknown lists, answers and empty reasons are refused', () => {
  for (const bad of [
    { plans: [] },
    { plan: ['yes'] },
    { changesets: [{ reject: '' }] },
    { changesets: [{ reject: 'x', keep: 'yes' }] },
    { changesets: [{ override: 'x', keep: true }] },
    { budget: [{ raise: 0 }] },
    { changesets: [{ reject: 'x', comments: [{ path: 'a', line: 0, text: 'x' }] }] },
    { changesets: [{ reject: 'x', comments: [{ path: 'a', line: 1, text: ' ' }] }] },
    { changesets: [{ reject: 'x', comments: [{ path: 'a', line: 1, text: 'x', excerpt: 'forged' }] }] },
  ]) {
    assert.not.ok(decisionsFileSchema.safeParse(bad).success, JSON.stringify(bad));
  }
  assert.equal(decisionsFileSchema.parse({}), {
    plan: [],
    validation: [],
    validator_failed: [],
    changesets: [],
    session: [],
    question: [],
    budget: [],
  });
});

test('RND-1 a changeset that comes back is shown with what changed since, and the difference on request', async () => {
  const { fake, gates } = openTerminal('i\na\n');
  const comment = { path: 'src/a.ts', side: 'new', line: 3, text: `close it ${hostile}` } as const;
  const since = {
    seen: [{ id: '1-auth', became: 'rejected', reason: 'Leaks', commit: commitA }],
    ...{ from: commitA, to: commitB, isMoved: true, clashes: [] },
    diffstat: { files: 1, insertions: 2, deletions: 1 },
    commits: [],
    comments: [{ comment, fate: 'changed', line: null, answer: ['-open()', '+close()'] } as const],
  };
  const question = { ...sampleChangesetQuestion(), since, showInterdiff: async () => '+only this\n' };
  assert.equal(await gates.changeset(question), { kind: 'approve' });
  const said = fake.stderr();
  assert.match(said, /Since 1-auth \(a+\), sent back, “Leaks”: 1 file changed, \+2 −1/);
  assert.match(said, /src\/a\.ts:3 changed\n[\s\S]*close it[\s\S]*\+close\(\)/);
  assert.match(fake.stdout(), /\+only this/);
  assert.not.match(said, /\u001b\[2J|\u202e/);
  const none = openTerminal('i\na\n');
  assert.equal(await none.gates.changeset(sampleChangesetQuestion()), { kind: 'approve' });
  assert.not.match(none.fake.stderr(), /\(i\)nterdiff/);
});

test('DSK-5: the terminal and the page say before a changeset is decided what it excludes', async () => {
  const excluding = async () => [{ group: 'b\u001b[2J', isApproved: false, paths: ['x.js', 'y.js'] }];
  const { fake, gates } = openTerminal('s\n');
  assert.equal(await gates.changeset({ ...sampleChangesetQuestion(), excluding }), { kind: 'skip' });
  const said = fake.stderr().replace(/\s+/g, ' ');
  assert.match(said, 'warning: It conflicts with b');
  assert.match(said, 'in x.js, y.js: only one of the two can land as it is now');
  assert.ok(said.indexOf('It conflicts') < said.indexOf('(a)pprove'));
  const { changeset, tasks, verdicts } = sampleChangesetQuestion();
  const facts = { changeset, isUndoable: false, tryCommand: null, tasks, verdicts, doubts: [], runs: [] };
  const page = renderChangesetPage(facts, { files: [] }, { excluding: await excluding() });
  assert.match(page, '<p class="warning">It conflicts with b');
});

test.run();
