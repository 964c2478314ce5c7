import type { Config } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { Changeset } from '../../domain/state/changeset.ts';
import { defaultCohesionGroup } from '../../domain/state/plan-schema.ts';
import { renderClosesIssueLine } from '../../domain/state/pull-request-news.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { judgeCommitMessage } from '../../policy/check-commit.ts';
import { isNonBlank } from '../../util/error-text.ts';
import { joinTitles } from '../../util/format-width.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { RunContext, WithGit } from '../run-context.ts';

const subjectWidth = 72;

/**
 * The message a changeset lands with, by the form the repository asks of commits. Throws FlameError
 * `landing-message` where that holds for every commit and no subject fits; nothing has landed then.
 */
export async function renderChangesetMessage(
  { config, git }: Pick<RunContext, 'config'> & WithGit<GitCommits>,
  session: Session,
  { group, tasks }: { readonly group: string; readonly tasks: readonly Task[] },
): Promise<string> {
  const [plain = '', ...rest] = filledIn(config, session, { group, tasks }).split('\n');
  const closing = tasks.flatMap(({ source }) => renderClosesIssueLine(source) ?? []);
  const body = [...rest, ...(closing.length === 0 ? [] : ['', ...closing])];
  const complete = (subject: string): string => addMessageTrailers([subject, ...body].join('\n'), tasks, session.id);
  if (fits(config, complete(plain))) return complete(plain);
  const own = tasks.flatMap(({ commit }) => (commit === null ? [] : [git.readCommit(commit)]));
  const subjects = (await Promise.all(own)).map(({ message }) => message.split('\n')[0] ?? '');
  const fitting = [...likeExample(config, group, tasks), ...subjects].find((subject) =>
    fits(config, complete(subject)),
  );
  if (fitting !== undefined) return complete(fitting);
  if (config.validation.commit_format.apply_to === 'all') throw noSubject(config, group);
  return complete(plain);
}

/**
 * A message that a person gives a changeset says something and has the form that the repository asks of every commit.
 * Throws FlameError `landing-message`.
 */
export function requireValidMessage(
  config: Config,
  session: Session,
  { changeset, message }: { readonly changeset: Changeset; readonly message: string | undefined },
): void {
  if (message === undefined) return;
  const again = `git flame review --changeset ${shellQuote(changeset.group)} --approve --message MESSAGE`;
  const refused = (why: string, hints: readonly string[]): FlameError => badMessage(why, { hints: [...hints, again] });
  if (config.project.landing_style === 'rebase')
    throw refused('With project.landing_style: rebase, the commits of the tasks land with their own messages.', [
      `git flame review --changeset ${shellQuote(changeset.group)} --approve`,
    ]);
  if (!isNonBlank(message)) throw refused('The message is empty.', []);
  const whole = addMessageTrailers(
    message,
    changeset.tasks.map((id) => ({ id })),
    session.id,
  );
  const { apply_to: applies, pattern, example } = config.validation.commit_format;
  if (applies !== 'all' || fits(config, whole)) return;
  const like = example === '' ? pattern : example;
  throw refused(
    `The message doesn't match validation.commit_format.pattern, which applies to all commits of this repository: ${like}`,
    [],
  );
}

/** Why a changeset can't land with a message, a sentence; null: it can. */
export function whyMessageInvalid(...given: Parameters<typeof requireValidMessage>): string | null {
  try {
    requireValidMessage(...given);
    return null;
  } catch (error) {
    if (error instanceof FlameError) return error.message;
    throw error;
  }
}

/** A message with who it is of at its end, each said once. */
export function addMessageTrailers(message: string, tasks: readonly Pick<Task, 'id'>[], session: SessionId): string {
  const text = message.trimEnd();
  const said = text.slice(text.lastIndexOf('\n\n') + 2).split('\n');
  const hasTrailers = text.includes('\n\n') && said.every((line) => /^[A-Za-z][\w-]*: \S/.test(line));
  const trailers = [...tasks.map(({ id }) => `Task: ${id}`), `Session: ${session}`];
  const missing = trailers.filter((line) => !hasTrailers || !said.includes(line));
  return `${text}${missing.length === 0 ? '' : hasTrailers ? '\n' : '\n\n'}${missing.join('\n')}\n`;
}

/** `project.landing_message` with what it names. */
function filledIn(
  { project }: Config,
  { id, objective }: Session,
  { group, tasks }: { readonly group: string; readonly tasks: readonly Task[] },
): string {
  const width = subjectWidth - group.length - 2;
  const values: Readonly<Record<string, string>> = {
    group,
    objective: objective.split('\n')[0] ?? '',
    session: id,
    titles: joinTitles(titlesOf(tasks), width),
    list: tasks.map((task) => `* ${task.id}: ${task.title}`).join('\n'),
  };
  return inForm(project.landing_message, group).replace(/\{(\w+)\}/g, (all, name: string) => values[name] ?? all);
}

/** The group that tasks have where none is named says nothing of them. */
function inForm(form: string, group: string): string {
  return group === defaultCohesionGroup ? form.trim().replace(/^\{group\}: /, '') : form.trim();
}

function fits({ validation }: Config, message: string): boolean {
  const { pattern: commit_pattern, example: commit_example } = validation.commit_format;
  return judgeCommitMessage({ commit_pattern, commit_example }, message) === null;
}

function titlesOf(tasks: readonly Task[]): readonly string[] {
  return tasks.map(({ title }) => title);
}

/** The example with its own words replaced, and usual forms, in the cases people ask for. */
function likeExample({ validation }: Config, group: string, tasks: readonly Task[]): readonly string[] {
  const [first] = tasks;
  if (first === undefined) return [];
  const { example } = validation.commit_format;
  const lead = /^.*?[:\]]\s*/.exec(example)?.[0] ?? '';
  const leads = [
    lead.replace(/\btask-\d+\b/g, first.id),
    lead,
    ...['feat', 'chore'].flatMap((type) => [`${type}(${group}): `, `${type}(${first.id}): `, `${type}: `]),
  ];
  return leads.flatMap((start) => {
    const titles = joinTitles(titlesOf(tasks), Math.max(20, subjectWidth - start.length));
    return [`${start}${titles}`, `${start}${titles.charAt(0).toLowerCase()}${titles.slice(1)}`];
  });
}

function noSubject({ validation }: Config, group: string): FlameError {
  const { pattern, example } = validation.commit_format;
  const why = `No subject for changeset ${group} matches validation.commit_format.pattern, which applies to all commits of this repository.`;
  return badMessage(why, {
    details: [`pattern: ${pattern}`, `example: ${example === '' ? 'none is configured' : example}`],
    hints: [
      'In .blueflame.yml, set validation.commit_format.example to a subject whose words after the colon can be replaced',
      'Or give the tasks titles that match: git flame task edit ID --title TITLE',
      'git flame merge',
    ],
  });
}

function badMessage(
  message: string,
  more: { readonly details?: readonly string[]; readonly hints: readonly string[] },
): FlameError {
  return new FlameError({ kind: 'refused', code: 'landing-message', message, ...more });
}
