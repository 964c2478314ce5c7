import { resolve } from 'node:path';
import { readNewTasks } from '../../config/plan-file.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { parseSessionId, parseTaskId } from '../../domain/ids.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { requireNoIssueScripts } from '../../engine/issue-for-script.ts';
import { addTasks, type NewTask } from '../../engine/plan/add-tasks.ts';
import type { RunContext } from '../../engine/run-context.ts';
import type { Output } from '../../ui/terminal/output.ts';
import { toPrintableLine, toPrintableText } from '../../ui/text/printable-text.ts';
import { formatCount } from '../../util/format-figures.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { addSessionToCommand, isNotCurrentSession, isSessionBusy } from '../context/session-lock.ts';
import { type IssueReference, parseIssueReference } from '../forge/forge-address.ts';
import { openForge } from '../forge/open-forge.ts';
import { readFileNamedByPerson, readStreamAsText } from '../run-context/open-gates.ts';
import { commandOnThisMachine } from '../run-loop/next-command.ts';
import { parseAttemptsOption, withManualWork } from './with-manual-work.ts';

/** `git flame task add`: tasks of options, a file or standard input. */
export function runTaskAdd(args: CommandArgs<'task'>, io: Io): Promise<number> {
  return withManualWork(args, io, async ({ context, git, output, selected }) => {
    const added = await readAdded(args, io, context.root);
    const wanted = selected.name === null ? null : parseSessionId(selected.name);
    if (args.globals.dryRun) {
      requireNoIssueScripts(context, added);
      output.json({ session: wanted, tasks: added });
      output.result(`Would add: ${added.map(({ id, title }) => id ?? toPrintableLine(title)).join(', ')}`);
      for (const task of added) showIssue(output, task);
      return 0;
    }
    const { session, tasks, isNewSession } = await addTasks(context, wanted, added);
    output.json({ session: session.id, tasks });
    for (const task of tasks) {
      output.result(`${task.id}: ${toPrintableLine(task.title)}`);
      showIssue(output, task);
    }
    if (isNewSession) output.info(`Session ${session.id} was started on ${session.base_branch}.`);
    const isGoing = isSessionBusy(git.repository.commonDir, session.id);
    if (isGoing) output.info('A run is in progress and takes the tasks that are ready.');
    else output.hint(await commandToContinue(context, session));
    return 0;
  });
}

async function commandToContinue({ store, place }: RunContext, session: Session): Promise<string> {
  const command = commandOnThisMachine(session, place, 'run');
  return (await isNotCurrentSession(store, session.id)) ? addSessionToCommand(command, session.id) : command;
}

/** Shows the whole text of an issue, which another person wrote and this one accepts by adding it. */
function showIssue(
  output: Pick<Output, 'result'>,
  { source, description }: Pick<Task, 'source' | 'description'> | NewTask,
): void {
  if (source === undefined) return;
  for (const line of toPrintableText(description).split('\n')) output.result(line === '' ? '' : `  ${line}`);
}

async function readAdded(args: CommandArgs<'task'>, io: Io, cwd: string): Promise<readonly NewTask[]> {
  const { from, description } = args.options;
  const issue = from === null ? null : parseIssueReference(from);
  if (issue !== null) return readFromIssue(args, issue, { io, cwd, from: from ?? '' });
  const [title = args.options.title] = args.positionals;
  if (title !== null && title !== undefined && from === null)
    return asTyped(args, { title, description: description ?? title });
  if (title !== null && title !== undefined) throw bothGiven();
  if (from === null && io.stdin.isTTY === true) throw nothingGiven();
  const isStdin = from === null || from === '-';
  const text = isStdin ? await readStreamAsText(io.stdin) : await readFileNamedByPerson(resolve(io.cwd, from));
  const tasks = text.trim() === '' ? [] : readNewTasks(text, isStdin ? 'standard input' : from);
  if (tasks.length === 0) throw nothingGiven();
  return tasks;
}

interface Asking {
  readonly io: Io;
  readonly cwd: string;
  readonly from: string;
}

/** Reads a task from an issue; options of the command line win. */
async function readFromIssue(
  args: CommandArgs<'task'>,
  name: IssueReference,
  { io, cwd, from }: Asking,
): Promise<readonly NewTask[]> {
  const retry = `git flame task add --from ${shellQuote(from)}`;
  const issue = await openForge(name.forge, { cwd, io, retry }).issue(name);
  const [title = args.options.title ?? issue.title] = args.positionals;
  const tasks = asTyped(args, { title, description: issue.description });
  return tasks.map((one) => ({ ...one, source: issue.source }));
}

/** A task of these words with what the options say of it. */
function asTyped(
  { options: { locks, needs, group, priority, attempts, id } }: CommandArgs<'task'>,
  words: Pick<NewTask, 'title' | 'description'>,
): readonly NewTask[] {
  if (locks === null || locks.length === 0) throw noLocks(words.title);
  const task = {
    ...words,
    file_locks: locks,
    dependencies: needs ?? [],
    ...(group === null ? {} : { cohesion_group: group }),
    ...(priority === null ? {} : { priority }),
    ...(attempts === null ? {} : { attempts: parseAttemptsOption(attempts) }),
    ...(id === null ? {} : { id: parseTaskId(id) }),
  };
  return readOptions(JSON.stringify([task]));
}

const optionOf: Readonly<Record<string, string>> = {
  title: 'the title',
  description: '--description',
  file_locks: '--locks',
  dependencies: '--needs',
  cohesion_group: '--group',
  priority: '--priority',
  attempts: '--attempts',
};

/** Mistakes are named by their options: there is no file to point to. Throws FlameError `bad-plan`. */
function readOptions(text: string): readonly NewTask[] {
  try {
    return readNewTasks(text, 'the options');
  } catch (error) {
    if (!(error instanceof FlameError) || !Array.isArray(error.data.problems)) throw error;
    const problems: readonly { readonly path: string; readonly message: string }[] = error.data.problems;
    throw new FlameError({
      kind: 'usage',
      code: error.code,
      message: `The task can't be added: ${formatCount(problems.length, 'mistake')}.`,
      details: problems.map(({ path, message }) => {
        const key = /^\[0\]\.(\w+)/.exec(path)?.[1] ?? path;
        return `${optionOf[key] ?? key} ${message}`;
      }),
      hints: ['git flame help task'],
    });
  }
}

function noLocks(title: string): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-locks',
    message: 'A task needs --locks: the paths that it may change.',
    hints: [`git flame task add ${shellQuote(title)} --locks PATH,PATH`, 'git flame help task'],
  });
}

function bothGiven(): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'title-and-file',
    message: 'Give a task by title and options, or by a file, not both.',
    hints: ['git flame task add TITLE --locks PATH', 'git flame task add --from FILE'],
  });
}

function nothingGiven(): FlameError {
  return new FlameError({
    kind: 'usage',
    code: 'no-task-given',
    message: 'There is nothing to add.',
    hints: ['git flame task add TITLE --locks PATH', 'git flame task add --from FILE'],
  });
}
