import { resolve } from 'node:path';
import { readPlanFile, renderPlanYaml } from '../../config/plan-file.ts';
import { pickTaskPlan, type TaskPlan } from '../../core/task/task-keys.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { badTaskError } from '../../domain/input-errors.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import {
  editTask,
  listTaskEditProblems,
  readPlanBoundsOfSession,
  requireEditableTask,
} from '../../engine/plan-problems.ts';
import { runGitForText } from '../../git/process/run-git.ts';
import { editTextInEditor } from '../../ui/terminal/edit-text.ts';
import { readFileNamedByPerson, readStreamAsText } from '../run-context/open-gates.ts';
import type { CommandContext } from '../run-context/open-run-context.ts';
import { parseAttemptsOption, readTaskForCommand, withManualWork } from './with-manual-work.ts';

/** `git flame task edit [ID]`: by options, from a file, or in the person's editor. */
export function runTaskEdit(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async (opened) => {
    const { context, output } = opened;
    const task = await readTaskForCommand(args, opened);
    requireEditableTask(task);
    const before = pickTaskPlan(task);
    const after = await readEdit(args, io, opened, task);
    if (after === null) return 1;
    if (args.globals.dryRun) {
      output.json({ task: { ...task, ...after } });
      output.result(`Would change ${task.id}.`);
      return 0;
    }
    const { task: edited, changed } = await editTask(context, task.session, { before, after });
    output.json({ task: edited, changed });
    output.result(changed.length === 0 ? `${task.id} stays as it is.` : `${task.id}: changed ${changed.join(', ')}.`);
    if (edited.status === 'failed') output.hint(`git flame task release ${edited.id}`);
    return 0;
  });
}

/** The task with its changes; null: the person left the editor without a change. */
async function readEdit(
  args: CommandArgs<'task'>,
  io: Io,
  opened: CommandContext,
  task: Task,
): Promise<TaskPlan | null> {
  const { title, description, locks, needs, group, priority, attempts, from } = args.options;
  if (from !== null) {
    const text = from === '-' ? await readStreamAsText(io.stdin) : await readFileNamedByPerson(resolve(io.cwd, from));
    return parseEdit(text, from, task);
  }
  const entries = Object.entries({
    title,
    description,
    priority,
    cohesion_group: group,
    file_locks: locks,
    dependencies: needs,
    attempts: attempts === null ? null : parseAttemptsOption(attempts),
  }).filter(([, value]) => value !== null);
  const plan = pickTaskPlan(task);
  if (entries.length === 0) return editInEditor(io, opened, task);
  return parseEdit(JSON.stringify([{ ...plan, ...Object.fromEntries(entries) }]), 'the options', task);
}

/** Mistakes are shown in the text and the editor is opened again, where there is a person to mend them. */
async function editInEditor(io: Io, { context, output, store }: CommandContext, task: Task): Promise<TaskPlan | null> {
  const gitContext = { cwd: context.root, env: io.env };
  const editor = await runGitForText(gitContext, ['var', 'GIT_EDITOR'], { accept: [0, 1, 128] });
  if (editor === '') throw noEditor(task);
  const bounds = await readPlanBoundsOfSession(context, task.session);
  const tasks = (await store.snapshot()).tasksOf(task.session);
  return editTextInEditor(io, {
    editor,
    fileName: `${task.id}.yml`,
    text: renderPlanYaml({ tasks: [pickTaskPlan(task)] }),
    parse: (text) => {
      const plan = parseEdit(text, `${task.id}.yml`, task);
      const problems = listTaskEditProblems(bounds, { ...task, ...plan }, tasks);
      if (problems.length > 0) throw badEdit(task, problems);
      return plan;
    },
    print: (line) => void io.stderr.write(`${line}\n`),
    style: output.errorStyle,
    isOnce: io.stdin.isTTY !== true,
  });
}

function parseEdit(text: string, name: string, task: Task): TaskPlan {
  const [plan, another] = readPlanFile(text, name).tasks;
  if (plan !== undefined && another === undefined && plan.id === task.id) return plan;
  throw badEdit(task, [`the text must contain only ${task.id}; its id can't be changed`]);
}

function badEdit({ id }: Task, details: readonly string[]): FlameError {
  return badTaskError(`${id} can't be changed this way.`, details, `git flame task edit ${id}`);
}

function noEditor({ id }: Task): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'no-editor',
    message: 'git has no editor configured that can open here.',
    hints: [`git flame task edit ${id} --description TEXT`, 'git config --global core.editor nano'],
  });
}
