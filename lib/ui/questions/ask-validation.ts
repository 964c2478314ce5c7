import { FlameError } from '../../domain/flame-error.ts';
import type {
  ValidationDecision,
  ValidationQuestion,
  ValidatorFailedDecision,
  ValidatorFailedQuestion,
} from '../../domain/ports/gates.ts';
import { listOfferedAnswers } from '../../domain/questions/offered-answers.ts';
import { plannedTaskSchema } from '../../domain/state/plan-schema.ts';
import { textSchema } from '../../domain/text-schemas.ts';
import { renderAttempts } from '../render/render-attempts.ts';
import { diffCommand } from '../render/render-diff.ts';
import { renderDiagnosticRun, renderVerdict } from '../render/render-verdict.ts';
import { toPrintableLine } from '../text/printable-text.ts';
import { askUntilDecided } from './ask-answer.ts';
import { askToKeepWork } from './ask-at-terminal.ts';
import type { GateContext } from './gate-context.ts';
import { prepareValidationQuestion, prepareValidatorQuestion } from './prepare-validation-questions.ts';
import { describeWaitingValidation, describeWaitingValidator } from './waits-for-person-error.ts';

/** A task failed its validation: check it again, requeue it with notes, requeue it changed, or drop it. */
export async function askValidationDecision(
  context: GateContext,
  question: ValidationQuestion,
): Promise<ValidationDecision> {
  const { task, verdict, editProblems, showDiff } = question;
  const { style, print } = context;
  const asking = context.asking(describeWaitingValidation(question));
  const { asks, decide } = prepareValidationQuestion(question);
  print(style.bold(`${task.id} failed its validation: ${toPrintableLine(task.title)}`));
  print(renderVerdict(verdict, style).join('\n'));
  for (const line of renderAttempts(task, style)) print(line);
  const parse = async (text: string): Promise<TaskEdit> => {
    const edit = await parseTaskEdit(text);
    const problems = await editProblems(edit);
    if (problems.length > 0) throw badEdit(problems);
    return edit;
  };
  const edit = async (): Promise<ValidationDecision | null> => {
    const { description, file_locks } = task;
    const text = await taskEditToYaml({ notes: verdict.notes, description, file_locks });
    const edited = await context.edit({ fileName: `${task.id}.yml`, text, parse });
    if (edited === null) return null;
    return { kind: 'requeue', ...edited, ...((await askToKeepWork(asking)) ? { keep: true } : {}) };
  };
  const view = async (): Promise<null> => {
    await context.viewDiff(await showDiff(), diffCommand(task.id));
    return null;
  };
  const acts = [
    { label: '(v)iew', act: view },
    { label: '(e)dit and requeue', act: edit },
  ];
  return askUntilDecided(() => ({
    asking,
    answers: listOfferedAnswers(asks),
    acts,
    before: 'recheck',
    decide,
  }));
}

/** The validator of a task failed twice: another one, a person's own judgement, or give the task up. */
export async function askAfterValidatorFailed(
  context: GateContext,
  question: ValidatorFailedQuestion,
): Promise<ValidatorFailedDecision> {
  const { task, reason, diagnostics } = question;
  const asking = context.asking(describeWaitingValidator(question));
  const { asks, decide } = prepareValidatorQuestion(question);
  context.print(context.style.bold(`The validator of ${task.id} failed: ${toPrintableLine(reason)}`));
  for (const line of diagnostics.flatMap((run) => renderDiagnosticRun(run, context.style, '  '))) context.print(line);
  const isByHand = ({ word }: { readonly word: string }): boolean => word === 'pass' || word === 'fail';
  const answers = listOfferedAnswers(asks);
  // No judgement before the diff was shown.
  const judge = async (): Promise<ValidatorFailedDecision> => {
    await context.viewDiff(await question.showDiff(), diffCommand(task.id));
    return askUntilDecided(() => ({ asking, answers: answers.filter(isByHand), decide }));
  };
  const acts = [{ label: '(m)anual review', act: judge }];
  const others = answers.filter((answer) => !isByHand(answer));
  return askUntilDecided(() => ({ asking, answers: others, acts, before: 'skip', decide }));
}

/** Fields that a person may change of a task that goes back into the queue. */
interface TaskEdit {
  readonly notes: string;
  readonly description: string;
  readonly file_locks: readonly string[];
}

const editSchema = plannedTaskSchema
  .pick({ description: true, file_locks: true })
  .extend({ notes: textSchema(50_000).default('') })
  .strict();

const heading = `# The task is sent back as you edit it here. notes: for the next attempt.
# file_locks: paths it may change. Save and close; empty the file to cancel.
`;

async function taskEditToYaml(edit: TaskEdit): Promise<string> {
  const { stringify } = await import('yaml');
  return heading + stringify(edit, { lineWidth: 0 });
}

/** Throws a FlameError `bad-task-edit` with every mistake, each with its line. */
async function parseTaskEdit(text: string): Promise<TaskEdit> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter });
  const broken = document.errors.map((error) => `line ${error.linePos?.[0].line ?? 1}: ${firstLine(error.message)}`);
  if (broken.length > 0) throw badEdit(broken);
  const parsed = editSchema.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  throw badEdit(
    parsed.error.issues.map((issue) => {
      const path = issue.path.map(String);
      const line = lineCounter.linePos(offsetOf(document.getIn(path, true))).line;
      return `line ${line}: ${[path.join('.'), issue.message].filter((part) => part !== '').join(' ')}`;
    }),
  );
}

function offsetOf(node: unknown): number {
  const range: unknown = typeof node === 'object' && node !== null && 'range' in node ? node.range : null;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}

function firstLine(message: string): string {
  return (message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '');
}

/** A FlameError `bad-task-edit`, with a mistake a line. */
function badEdit(mistakes: readonly string[]): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'bad-task-edit',
    message: 'The edited task cannot be used.',
    details: mistakes,
  });
}
