import { isSessionVersionOwn, isTaskVersionOwn } from '../../core/admission/own-versions.ts';
import type {
  CommitOnBranchQuery,
  CompletionEvidence,
  MergeNamingTaskQuery,
} from '../../core/admission/unverified-completions.ts';
import { isAgentAddress, type ObjectId, type SessionId } from '../../domain/ids.ts';
import type { DecisionLog } from '../../domain/state/decision-log.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import { CatFile } from '../../git/process/cat-file.ts';
import { runGit, runGitForLines } from '../../git/process/run-git.ts';
import { computeNoteKey, sessionAnchor, sessionNoteKind, taskAnchor, taskNoteKind } from '../notes/note-kinds.ts';
import type { StoreOptions } from '../store-options.ts';
import { findNewestWantedVersions, findReplacedSignatures } from './note-history.ts';

/** Evidence out of the repository: found out by a few gits, however much is asked, and starts none before. */
export class StoredCompletionEvidence implements CompletionEvidence {
  readonly #options: StoreOptions;
  #catFile: CatFile | null = null;
  /** By branch and time: what is known, and what was asked. */
  readonly #branches = new Map<string, Growth>();
  readonly #tasks = new LastVersions<Task>();
  readonly #sessions = new LastVersions<Session>();
  /** Number of questions so far: the answers to them change. */
  questionCount = 0;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  came({ branch, since, commit }: CommitOnBranchQuery): Answer {
    this.questionCount += 1;
    const growth = this.#growthOf(branch, since);
    const answer = growth.answers.get(commit);
    if (answer === undefined) growth.asked.add(commit);
    return answer ?? null;
  }

  names({ branch, since, task }: MergeNamingTaskQuery): boolean {
    this.questionCount += 1;
    const growth = this.#growthOf(branch, since);
    const isNamed = growth.named.has(`${task.session}/${task.id}`);
    if (!isNamed) growth.isShort = true;
    return isNamed;
  }

  #growthOf(branch: string, since: number): Growth {
    const name = `${branch} ${since}`;
    const growth = this.#branches.get(name) ?? {
      branch,
      since,
      tip: null,
      isShort: false,
      asked: new Set<ObjectId>(),
      answers: new Map<ObjectId, Answer>(),
      named: new Set<string>(),
    };
    this.#branches.set(name, growth);
    return growth;
  }

  lastTask(task: Task): Task | null {
    this.questionCount += 1;
    return this.#tasks.ask(task);
  }

  lastSession(session: Session): Session | null {
    this.questionCount += 1;
    return this.#sessions.ask(session);
  }

  /** Whether anything was asked that isn't known yet. */
  get isOpen(): boolean {
    const isAsked = [...this.#branches.values()].some(({ asked }) => asked.size > 0);
    return isAsked || this.#tasks.asked.size + this.#sessions.asked.size > 0;
  }

  /** Asks again what a branch doesn't hold, or what no merge in it names, if it moved since: a pull beside a long run brings work. */
  async refresh(): Promise<void> {
    for (const growth of this.#branches.values()) {
      const isMissing = growth.isShort || [...growth.answers.values()].includes(null);
      if (!isMissing || (await this.#tipOf(growth)) === growth.tip) continue;
      growth.answers.clear();
      growth.isShort = false;
    }
  }

  /** Forgets versions, since other decisions count now: they are looked up again. */
  forgetVersions(): void {
    this.#tasks.forget();
    this.#sessions.forget();
  }

  /** Finds out what was asked. */
  async resolve(decided: DecisionLog): Promise<void> {
    for (const growth of this.#branches.values()) await this.#resolveGrowth(growth);
    await this.#tasks.resolve((tasks) => this.lastTasks(tasks, decided));
    await this.#sessions.resolve((sessions) => this.lastSessions(sessions, decided));
  }

  /** The newest trusted versions; nothing for notes that have none. */
  async lastTasks(tasks: readonly Task[], decided: DecisionLog): Promise<ReadonlyMap<Task, Task>> {
    const { objectFormat } = this.#options;
    const keys = new Map(tasks.map((task) => [task, computeNoteKey(objectFormat, taskAnchor(task.session, task.id))]));
    return findNewestWantedVersions(this.#context(), taskNoteKind, keys, (task) => isTaskVersionOwn(task, decided));
  }

  async lastSessions(sessions: readonly Session[], decided: DecisionLog): Promise<ReadonlyMap<Session, Session>> {
    const { objectFormat } = this.#options;
    const keys = new Map(sessions.map((session) => [session, computeNoteKey(objectFormat, sessionAnchor(session.id))]));
    return findNewestWantedVersions(this.#context(), sessionNoteKind, keys, (session) =>
      isSessionVersionOwn(session, decided),
    );
  }

  /** See findReplacedSignatures. */
  replacedSeals(sessions: readonly SessionId[]): Promise<ReadonlySet<string>> {
    return findReplacedSignatures(this.#context(), sessions);
  }

  async close(): Promise<void> {
    await this.#catFile?.close();
  }

  async #tipOf({ branch }: Growth): Promise<ObjectId | null> {
    const tip = await this.#context().catFile.info(`refs/heads/${branch}`);
    return tip?.type === 'commit' ? tip.oid : null;
  }

  async #resolveGrowth(growth: Growth): Promise<void> {
    const { since, asked, answers } = growth;
    const commits = [...asked];
    asked.clear();
    if (commits.length === 0) return;
    const { context, catFile, commonDir } = this.#context();
    const tip = await this.#tipOf(growth);
    growth.tip = tip;
    const objects = await Promise.all(commits.map((name) => catFile.info(name)));
    const there = tip === null ? [] : commits.filter((_, at) => objects[at]?.type === 'commit');
    for (const commit of commits) answers.set(commit, null);
    if (there.length === 0) return;
    const list = (args: readonly string[], revisions: readonly string[]): Promise<readonly string[]> => {
      const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
      const input = `${revisions.join('\n')}\n`;
      const words = ['--no-replace-objects', 'rev-list', ...args, '--stdin'];
      return runGitForLines(git, words, { input });
    };
    // Clocks of two machines differ. Where all dates are older, as with a fixed GIT_COMMITTER_DATE, the whole branch counts.
    const from = `--since=${Math.floor((since - skewMs) / 1000)}`;
    const steps = await list(['--first-parent', '--parents', from], [`${tip}`]);
    const line = new Set(steps.map((step) => step.split(' ')[0]));
    const before = steps.at(-1)?.split(' ')[1];
    const notBefore = before === undefined ? [] : [`^${before}`];
    const outside = new Set(await list([], [...there, `^${tip}`]));
    const fresh = new Set(await list([], [...there, ...notBefore]));
    growth.named = await this.#namedIn([`${tip}`, ...notBefore]);
    for (const commit of there)
      if (!outside.has(commit) && fresh.has(commit)) answers.set(commit, line.has(commit) ? 'itself' : 'by-merge');
  }

  async #namedIn(revisions: readonly string[]): Promise<ReadonlySet<string>> {
    const { context, commonDir } = this.#context();
    const git = { ...context, cwd: commonDir, variables: { GIT_DIR: commonDir } };
    const format = `--format=${landingFormat}`;
    const words = ['--no-replace-objects', 'log', '--merges', '-z', format, '--no-show-signature'];
    const { stdout } = await runGit(git, [...words, '--stdin'], { input: `${revisions.join('\n')}\n` });
    return new Set(stdout.toString().split('\0').flatMap(namedBy));
  }

  #context() {
    const { context, commonDir, catFile } = this.#options;
    if (catFile !== undefined) return { ...this.#options, catFile };
    this.#catFile ??= new CatFile(context, commonDir);
    return { ...this.#options, catFile: this.#catFile };
  }
}

const skewMs = 3_600_000;

/** The newest trusted versions of notes: what is known, and what was asked. By the stored note itself, since it changes. */
class LastVersions<Value extends object> {
  #known = new WeakMap<Value, Value | null>();
  readonly asked = new Set<Value>();

  ask(value: Value): Value | null {
    const known = this.#known.get(value);
    if (known === undefined) this.asked.add(value);
    return known ?? null;
  }

  async resolve(find: (values: readonly Value[]) => Promise<ReadonlyMap<Value, Value>>): Promise<void> {
    const asked = [...this.asked];
    this.asked.clear();
    const found = await find(asked);
    for (const value of asked) this.#known.set(value, found.get(value) ?? null);
  }

  forget(): void {
    this.#known = new WeakMap();
  }
}

/** Commits that became part of a branch since a time. */
interface Growth {
  readonly branch: string;
  readonly since: number;
  /** Tip of the branch when it was last read. */
  tip: ObjectId | null;
  readonly asked: Set<ObjectId>;
  readonly answers: Map<ObjectId, Answer>;
  /** Tasks that merges in it name as theirs, as `<session>/<task>`. */
  named: ReadonlySet<string>;
  /** A task was asked for that none of them names. */
  isShort: boolean;
}

type Answer = 'by-merge' | 'itself' | null;

/** As git log prints a merge for namedBy. */
const landingFormat = '%ce%n%B';

/**
 * Tasks, as `<session>/<task>`, that a merge names: by the trailers of a landing, or by its branch. A merge that an agent
 * made within its work names none.
 */
function namedBy(merge: string): readonly string[] {
  const [committer = '', ...lines] = merge.split('\n');
  if (isAgentAddress(committer)) return [];
  const message = lines.join('\n');
  return [...namedByTrailers(message), ...namedByBranch(message)];
}

function namedByTrailers(message: string): readonly string[] {
  const last =
    message
      .trimEnd()
      .split(/\n{2,}/)
      .at(-1) ?? '';
  const valuesOf = (key: string): readonly string[] =>
    last.split('\n').flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2)] : []));
  const [session, ...others] = valuesOf('Session');
  if (session === undefined || others.length > 0) return [];
  return valuesOf('Task').map((task) => `${session}/${task}`);
}

function namedByBranch(message: string): readonly string[] {
  const [subject = ''] = message.split('\n');
  return [...subject.matchAll(/\bblueflame\/(ses-[\w-]+\/[\w-]+)/g)].map(([, name = '']) => name);
}
