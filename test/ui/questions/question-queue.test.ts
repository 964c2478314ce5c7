import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openUnappliedAnswerStore } from '../../../lib/commands/run-context/open-gates.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { parseSessionId, parseTaskId } from '../../../lib/domain/ids.ts';
import type { BaseDecision } from '../../../lib/domain/ports/gates.ts';
import type { AnsweringPlace, QuestionData } from '../../../lib/domain/questions/question-data.ts';
import { describeQuestionWithdrawal } from '../../../lib/domain/questions/question-facts.ts';
import { prepareChangesetQuestion } from '../../../lib/ui/questions/prepare-changeset-question.ts';
import { preparePlanQuestion } from '../../../lib/ui/questions/prepare-plan-question.ts';
import {
  prepareAgentQuestion,
  prepareBudgetQuestion,
  prepareFailingBaseQuestion,
  prepareLeftOverQuestion,
  prepareSessionQuestion,
} from '../../../lib/ui/questions/prepare-run-questions.ts';
import {
  prepareValidationQuestion,
  prepareValidatorQuestion,
} from '../../../lib/ui/questions/prepare-validation-questions.ts';
import type { PreparedQuestion } from '../../../lib/ui/questions/prepared-question.ts';
import { QuestionQueue } from '../../../lib/ui/questions/question-queue.ts';
import { makeTempDir } from '../../support/repo.ts';
import {
  sampleChangeset,
  sampleChangesetQuestion,
  samplePlan,
  sampleSessionQuestion,
  sampleTask,
  sampleVerdict,
} from '../samples.ts';

const place = { person: 'Lea Lead <lea@example.com>', session: null };
const budget = prepareBudgetQuestion({ spent: 5, limit: 5, unit: 'usd' });

async function refusal(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error instanceof FlameError ? `${error.code}: ${error.message}` : `nothing was refused: ${error}`;
}

function quitOf(asks: QuestionData): string {
  return asks.gate === 'plan' ? asks.quit_means : '';
}

async function read(question: PreparedQuestion<unknown>, answer: unknown): Promise<unknown> {
  return question.decide(answer).catch((error: FlameError) => error.code);
}

test('DSK-6: who answers an agent too late is told that its time was over, or that it ended', async () => {
  const desk = new QuestionQueue();
  const late = async (untilMs: number): Promise<string> => {
    const asked = Date.now();
    const question = prepareAgentQuestion({
      ...{ agent: 'worker-1a2b3c4d', task: 'one', title: 'Lock out', questions: [] },
      ...{ until: new Date(asked + untilMs).toISOString(), withdrawn: new AbortController().signal },
    });
    const laid = desk.post(question, place);
    const gate = desk.read().open?.id ?? '';
    laid.close('', 'terminal');
    return refusal(desk.answer({ gate, answer: { kind: 'proceed' }, where: 'command' }));
  };
  assert.match(
    await late(0),
    'not-asked: This answer was not used: the question expired after 1.0 s, and the agent continued without an answer.',
  );
  assert.match(
    await late(600_000),
    'not-asked: This answer was not used: worker-1a2b3c4d ended before its question was answered.',
  );
  const { asks, asked_at } = { asks: { gate: 'question' as const }, asked_at: '2026-02-06T14:30:22.000Z' };
  const until = '2026-02-06T14:40:22.000Z';
  const asked = { ...asks, agent: 'worker-1a2b3c4d', task: null, title: '', questions: [], until };
  assert.match(
    describeQuestionWithdrawal({ asks: asked, asked_at }, Date.parse(until)),
    'the question expired after 10m,',
  );
});

test('DSK-1: the first answer counts; one that comes later is told who decided what, and where', async () => {
  const desk = new QuestionQueue();
  const laid = desk.post(budget, place);
  const gate = desk.read().open?.id ?? '';
  const where: AnsweringPlace = 'board';
  const [first, second] = await Promise.all([
    refusal(desk.answer({ gate, answer: { kind: 'raise', amount: 3 }, where })),
    refusal(desk.answer({ gate, answer: { kind: 'stop' }, where })),
  ]);
  assert.is(first, 'nothing was refused: null');
  assert.match(second, 'answered-already');
  assert.match(second, 'the budget was already decided on the board by Lea Lead <lea@example.com>: raised by 3');
  assert.equal(await laid.answered, { decision: { kind: 'raise', amount: 3 }, where });
  assert.is(desk.read().open, null);
  assert.match(await refusal(desk.answer({ gate: 'gate-00000000', answer: { kind: 'stop' }, where })), 'not-asked');
});

test('DSK-1: what was decided elsewhere is seen on the desk, and whoever watches hears of it', async () => {
  const desk = new QuestionQueue();
  const seen: string[] = [];
  const unwatch = desk.watch(() => {
    const { open, decided } = desk.read();
    seen.push(open === null ? `${decided[0]?.answer} at the ${decided[0]?.where}` : open.asks.gate);
  });
  const laid = desk.post(budget, place);
  laid.close('stop', 'terminal');
  // Once it is closed nothing can be said of it any more.
  laid.close('raised by 1', 'board');
  unwatch();
  desk.post(budget, place);
  assert.equal(seen, ['budget', 'stop at the terminal']);
});

test('DSK-1: an answer of a killed run counts for the base it was given to, once, and not after its run ended', async () => {
  const folder = makeTempDir();
  const opened = (): QuestionQueue =>
    new QuestionQueue(openUnappliedAnswerStore({ commonDir: folder, env: { XDG_STATE_HOME: folder } }));
  const session = { ...place, session: parseSessionId('ses-20260101-000000-abcd') };
  const failing = ['npm test fails on main already (exit 1)'];
  const about = (commit: string): PreparedQuestion<BaseDecision> => prepareFailingBaseQuestion({ commit, failing });
  const answered = async (): Promise<QuestionQueue> => {
    const desk = opened();
    desk.post(about('a'), session);
    await desk.answer({ gate: desk.read().open?.id ?? '', answer: { kind: 'stop' }, where: 'board' });
    return desk;
  };
  await answered();
  assert.is(await opened().recall(about('b'), session), null);
  await answered();
  assert.equal(await opened().recall(about('a'), session), { decision: { kind: 'stop' }, where: 'board' });
  assert.is(await opened().recall(about('a'), session), null);
  (await answered()).forget();
  assert.is(opened().hasKept(session), false);
});

test('DSK-1: a message that breaks the form is refused before the answer counts, and the question stands', async () => {
  const desk = new QuestionQueue();
  const checkMessage = async (_: string, message: string): Promise<string | null> =>
    message.startsWith('feat: ') ? null : 'The message breaks the form.';
  const sample = { ...sampleChangesetQuestion(), showMessage: async () => 'Add it', checkMessage };
  const laid = desk.post(await prepareChangesetQuestion(sample), place);
  const gate = desk.read().open?.id ?? '';
  const approve = (message: string): Promise<string> =>
    refusal(desk.answer({ gate, answer: { kind: 'approve', message }, where: 'board' }));
  assert.match(await approve('nonsense'), 'bad-answer: This is not an answer to the question: The message breaks');
  assert.is(desk.read().open?.id, gate);
  assert.is(await approve('feat: all of it'), 'nothing was refused: null');
  assert.equal((await laid.answered).decision, { kind: 'approve', message: 'feat: all of it' });
});

test('DSK-2: a decision is not taken back by an answer that came too late, nor by one about something else', async () => {
  const undoable = async () => [sampleChangeset({ state: 'approved' })];
  const taken: string[] = [];
  const takeBack = async (id: string): Promise<void> => void taken.push(id);
  const question = await prepareChangesetQuestion({ ...sampleChangesetQuestion(), undoable, takeBack });
  const desk = new QuestionQueue();
  const laid = desk.post(question, place);
  const gate = desk.read().open?.id ?? '';
  const answer = (changeset: string): Promise<string> =>
    refusal(desk.answer({ gate, answer: { kind: 'undo', changeset }, where: 'board' }));
  assert.match(await answer('9-other'), 'bad-answer');
  const { id } = sampleChangeset();
  // Answered at the terminal while it is read.
  const late = answer(id);
  laid.close('approved', 'terminal');
  assert.match(await late, 'answered-already');
  assert.equal(taken, []);
  assert.equal(await question.decide({ kind: 'undo', changeset: id }), { kind: 'undo', changeset: id });
});

test('DSK-1: a diff of many megabytes is cut at a line, and it is said where it is whole', async () => {
  const diff = '+one line\n'.repeat(300_000);
  const question = sampleChangesetQuestion({}, diff);
  const shown = (await (await prepareChangesetQuestion(question)).text('diff')) ?? '';
  assert.match(shown, /\+one line\n\n\[\.\.\. diff cut here: 2000000 of 3000000 .*git flame review --web/);
  const task = sampleTask();
  const showDiff = async (): Promise<string> => diff;
  const validator = prepareValidatorQuestion({ task, reason: 'it died', diagnostics: [], showDiff });
  assert.match((await validator.text('diff')) ?? '', `git flame show ${task.id} --diff shows all of it ...]`);
});

test('DSK-1: what a failing check printed stands once in the question, below the check', async () => {
  const run = { command: 'npm test', exit_code: 1, output: 'not ok 3\n', timed_out: false, duration_ms: 1 };
  const issues = ['npm test ended with 1:\n…\nnot ok 3', 'a test is missing'];
  const { asks, text } = prepareValidationQuestion({
    ...{ task: sampleTask(), verdict: sampleVerdict({ issues, diagnostics: [run] }) },
    editProblems: async () => [],
    showDiff: async () => '+added\n',
  });
  assert.equal([await text('diff'), await text('plan')], ['+added\n', null]);
  if (asks.gate !== 'validation') throw new Error(asks.gate);
  assert.equal(asks.issues, ['a test is missing']);
  assert.equal(
    asks.checks.map(({ output }) => output),
    ['not ok 3\n'],
  );
});

test('an answer is held to the rules of its question', async () => {
  const plans = { format: async () => 'tasks: []\n', parse: async () => samplePlan };
  const question = {
    ...{ objective: 'Count', plan: samplePlan, waves: [], estimate: null },
    ...{ problems: ['a cycle'], replansLeft: 0 },
  };
  const plan = preparePlanQuestion(question, plans);
  assert.is(await read(plan, { kind: 'approve' }), 'bad-answer');
  assert.is(await read(plan, { kind: 'replan', notes: 'other' }), 'bad-answer');
  assert.is(await read(plan, { kind: 'reject' }), 'bad-answer');
  assert.match(quitOf(plan.asks), /^the session ends without this plan/);
  assert.match(
    quitOf(preparePlanQuestion({ ...question, quit: 'goes-on' }, plans).asks),
    /the session continues without it/,
  );
  assert.match(
    quitOf(preparePlanQuestion({ ...question, quit: 'kept' }, plans).asks),
    /is kept, and git flame run shows/,
  );
  assert.equal(await read(plan, { kind: 'edit', text: 'x' }), { kind: 'edit', plan: samplePlan });
  const sample = sampleChangesetQuestion();
  const red = { command: 'npm test', exit_code: 1, output: '', timed_out: false, duration_ms: 1 };
  const changeset = await prepareChangesetQuestion({
    ...sample,
    changeset: { ...sample.changeset, diagnostics: [red] },
  });
  assert.is(await read(changeset, { kind: 'approve' }), 'bad-answer');
  assert.is(await read(changeset, { kind: 'approve', override: ' \u200b ' }), 'bad-answer');
  assert.equal(await read(changeset, { kind: 'approve', override: ' known ' }), {
    ...{ kind: 'approve', override: 'known' },
  });
  assert.is(await read(changeset, { kind: 'reject', reason: 'no', tasks: ['none'] }), 'bad-answer');
  assert.is(await read(changeset, { kind: 'approve', commit: 'abc', override: 'x' }), 'bad-answer');
  const task = sampleTask();
  const validator = prepareValidatorQuestion({
    ...{ task, reason: 'it died', diagnostics: [red], showDiff: async () => 'the diff' },
  });
  assert.is(await read(validator, { kind: 'pass', notes: ' ' }), 'bad-answer');
  assert.is(await validator.text('diff'), 'the diff');
  const validation = prepareValidationQuestion({
    ...{ task, verdict: sampleVerdict() },
    editProblems: async ({ file_locks }) => (file_locks?.[0] === '../x' ? ['../x leaves it'] : []),
    showDiff: async () => '',
  });
  assert.is(await read(validation, { kind: 'requeue', file_locks: ['../x'] }), 'bad-answer');
  assert.equal(await read(validation, { kind: 'requeue', notes: 'so', file_locks: ['x'] }), {
    ...{ kind: 'requeue', notes: 'so', file_locks: ['x'] },
  });
  assert.equal(await read(validation, { kind: 'requeue', notes: 'once more' }), {
    ...{ kind: 'requeue', notes: 'once more' },
  });
  assert.equal(await read(validation, { kind: 'recheck' }), { kind: 'recheck' });
  assert.is(await read(validation, { kind: 'requeue', file_locks: [] }), 'bad-answer');
  assert.is(await read(validation, { kind: 'choose', attempt: 2 }), 'bad-answer');
  assert.is(await read(validation, { kind: 'pass', override: '' }), 'bad-answer');
  const session = sampleSessionQuestion();
  const none = { ...session, cyclesLeft: 0, summary: { ...session.summary, failed: 0 } };
  assert.is(await read(prepareSessionQuestion(none), { kind: 'continue' }), 'bad-answer');
  assert.is(await read(prepareSessionQuestion(none), { kind: 'undo', changeset: '1-auth' }), 'bad-answer');
  assert.is(await read(prepareLeftOverQuestion(none), { kind: 'continue' }), 'bad-answer');
  assert.equal(await read(prepareLeftOverQuestion(none), { kind: 'stop' }), { kind: 'stop' });
  assert.is(await read(budget, { kind: 'raise', amount: -1 }), 'bad-answer');
  const tokens = prepareBudgetQuestion({ spent: 1, limit: 1, unit: 'tokens' });
  assert.is(await read(tokens, { kind: 'raise', amount: 1.5 }), 'bad-answer');
});

test('what a run warns of is shown once, the latest first, behind the conflicts ahead as they are now', () => {
  const desk = new QuestionQueue();
  desk.warn('The base fails.');
  desk.warnAhead(['a and b conflict in x', 'a and c conflict in y']);
  desk.warn('The plugin is missing.');
  desk.warn('The base fails.');
  desk.warnAhead(['a and c conflict in y']);
  assert.equal(desk.read().warnings, ['a and c conflict in y', 'The base fails.', 'The plugin is missing.']);
});

test('DSK-1 a warning goes once what it warns of is over', () => {
  const desk = new QuestionQueue();
  desk.warn('$9 of $10 are spent.', 'budget-decided');
  desk.warn('task-010: no verdict', 'judged task-010');
  desk.warn('The base fails.');
  desk.settle(null);
  desk.settle('judged task-009');
  assert.is(desk.read().warnings.length, 3);
  desk.settle('judged task-010');
  assert.equal(desk.read().warnings, ['The base fails.', '$9 of $10 are spent.']);
  desk.settle('budget-decided');
  assert.equal(desk.read().warnings, ['The base fails.']);
});

test('the end of a cycle names the tasks in trouble, each with why', () => {
  const tasks = [
    sampleTask({ id: parseTaskId('one'), status: 'failed', reason: 'It ended early.\nMore of it.' }),
    sampleTask({ id: parseTaskId('two'), status: 'pending' }),
  ];
  const { asks } = prepareSessionQuestion(sampleSessionQuestion({ tasks }));
  assert.ok(asks.gate === 'session');
  assert.equal(
    asks.troubled.map(({ id, status, why }) => `${id} ${status}: ${why}`),
    ['one failed: It ended early.'],
  );
});

test.run();
