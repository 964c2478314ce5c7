import type {
  ValidationDecision,
  ValidationQuestion,
  ValidatorFailedDecision,
  ValidatorFailedQuestion,
} from '../../domain/ports/gates.ts';
import { isRed } from '../../domain/state/is-red.ts';
import { hasOthers, renderTries } from '../render/render-tries.ts';
import { renderDiagnostic, renderVerdict } from '../render/render-verdict.ts';
import { visibleLine } from '../text/visible-text.ts';
import { askOther } from './ask-attempt.ts';
import { askKeep, askLine, askText, type Choice, choose, type Question } from './choose.ts';
import { badEdit, parseTaskEdit, type TaskEdit, taskEditToYaml } from './edit-task.ts';
import type { GateContext } from './gate-context.ts';
import { waitingValidation, waitingValidator } from './waits-for-person.ts';

/** A task failed its validation: check it again, requeue it with notes, requeue it changed, or drop it. */
export async function askValidation(
  context: GateContext,
  { task, verdict, editProblems, showDiff }: ValidationQuestion,
): Promise<ValidationDecision> {
  const { style, say } = context;
  const asking = context.question(waitingValidation(task.id));
  say(style.bold(`${task.id} failed its validation: ${visibleLine(task.title)}`));
  say(renderVerdict(verdict, style).join('\n'));
  for (const line of renderTries(task, style)) say(line);
  const parse = async (text: string): Promise<TaskEdit> => {
    const edit = await parseTaskEdit(text);
    const problems = await editProblems(edit);
    if (problems.length > 0) throw badEdit(problems);
    return edit;
  };
  const others: readonly Choice<'o'>[] = hasOthers(task) ? [{ key: 'o', label: '(o)ther attempt' }] : [];
  for (;;) {
    const key = await choose<'r' | 'e' | 'v' | 'c' | 'p' | 'o' | 'd'>(asking, [
      { key: 'r', label: '(r)equeue' },
      { key: 'e', label: '(e)dit and requeue' },
      { key: 'v', label: '(v)iew' },
      { key: 'c', label: '(c)heck again' },
      { key: 'p', label: '(p)ass with a reason' },
      ...others,
      { key: 'd', label: '(d)rop' },
    ]);
    if (key === 'o') {
      const chosen = await askOther(asking, [task]);
      if (chosen !== null) return { kind: 'choose', attempt: chosen.attempt };
      continue;
    }
    if (key === 'v') {
      await context.viewDiff(await showDiff());
      continue;
    }
    if (key === 'c') return { kind: 'recheck' };
    if (key === 'd') return { kind: 'drop', reason: await askText(asking, 'Why is it dropped? ') };
    if (key === 'p')
      return { kind: 'pass', override: await askText(asking, 'Pass it all the same, because: ') };
    if (key === 'r') {
      const notes = await askLine(asking, "Notes for the next attempt (Enter: the validator's): ");
      const told = notes.trim() === '' ? verdict.notes : notes.trim();
      return { kind: 'requeue', notes: told, ...(await askKept(asking)) };
    }
    const text = await taskEditToYaml({
      notes: verdict.notes,
      description: task.description,
      file_locks: task.file_locks,
    });
    const edit = await context.edit({ fileName: `${task.id}.yml`, text, parse });
    if (edit !== null) return { kind: 'requeue', ...edit, ...(await askKept(asking)) };
  }
}

async function askKept(asking: Question): Promise<{ readonly keep?: true }> {
  return (await askKeep(asking)) ? { keep: true } : {};
}

/** The validator of a task failed twice: another one, a person's own judgement, or give the task up. */
export async function askValidatorFailed(
  context: GateContext,
  question: ValidatorFailedQuestion,
): Promise<ValidatorFailedDecision> {
  const { task, reason, diagnostics } = question;
  const asking = context.question(waitingValidator(question));
  context.say(context.style.bold(`The validator of ${task.id} failed: ${visibleLine(reason)}`));
  for (const line of diagnostics.flatMap((run) => renderDiagnostic(run, context.style, '  ')))
    context.say(line);
  const key = await choose(asking, [
    { key: 'r', label: '(r)etry' },
    { key: 'm', label: '(m)anual review' },
    { key: 's', label: '(s)kip' },
  ]);
  if (key === 'r') return { kind: 'retry' };
  if (key === 's') return { kind: 'skip' };
  await context.viewDiff(await question.showDiff());
  const judged = await choose(asking, [
    { key: 'p', label: '(p)ass' },
    { key: 'f', label: '(f)ail' },
  ]);
  if (judged === 'f') {
    return { kind: 'manual', status: 'fail', notes: await askText(asking, 'What is wrong? ') };
  }
  if (isRed(question)) {
    const override = await askText(asking, 'Diagnostics fail. Pass it all the same, because: ');
    return { kind: 'manual', status: 'pass', notes: override, override };
  }
  const notes = await askLine(asking, 'Notes (Enter: none): ');
  return { kind: 'manual', status: 'pass', notes: notes.trim() };
}
