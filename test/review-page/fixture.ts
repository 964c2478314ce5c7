import * as assert from 'uvu/assert';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { parseObjectId } from '../../lib/domain/ids.ts';
import type { ChangesetDecision, ChangesetQuestion } from '../../lib/domain/ports/changeset-question.ts';
import type { Changeset, ChangesSinceSeen } from '../../lib/domain/state/changeset.ts';
import type { ReadingGuide } from '../../lib/domain/state/reading-guide.ts';
import type { Task } from '../../lib/domain/state/task-schema.ts';
import type { Verdict } from '../../lib/domain/state/verdict.ts';
import { readReadingGuide } from '../../lib/engine/review/read-guide.ts';
import { openGit } from '../../lib/git/open-git.ts';
import { openReviewPageServer, type ReviewPage } from '../../lib/ui/review-page/open-review-page.ts';
import type { PageSource, ReviewPagePreferences } from '../../lib/ui/review-page/page-facts.ts';
import { emptyUnfinishedReview, type UnfinishedReview } from '../../lib/ui/review-page/unfinished-review.ts';
import { makeRepo, type TestRepo } from '../support/repo.ts';
import type { TaskFields } from '../support/tasks.ts';
import { redRun, sampleChangesetQuestion, sampleSession, sampleTask, sampleVerdict } from '../ui/samples.ts';

export interface ServedChangeset {
  readonly group: string;
  /** Makes the change in the work tree; what it leaves is committed. */
  readonly change: (repo: TestRepo) => void;
  readonly changeset?: Partial<Changeset>;
  readonly task?: Partial<TaskFields>;
  /** More tasks of it. */
  readonly more?: readonly (Partial<TaskFields> & Pick<TaskFields, 'id'>)[];
  /** What was seen of it in the last round. */
  readonly since?: (changeset: Changeset, repo: TestRepo) => ChangesSinceSeen;
  /** In which order it is read, instead of the order that is computed. */
  readonly guide?: (paths: readonly string[]) => ReadingGuide;
  /** Why its evidence is in doubt. */
  readonly doubts?: readonly string[];
}

export interface Served {
  readonly page: ReviewPage;
  readonly repo: TestRepo;
  /** What the page shows. */
  readonly source: PageSource;
  /** Decisions that were recorded, in order, as the engine would. */
  readonly decided: readonly (readonly [string, ChangesetDecision])[];
  /** Changesets whose decision was taken back. */
  readonly undone: readonly string[];
  /** What was begun and not decided, as it is remembered. */
  kept(): UnfinishedReview;
  /** Asks about each waiting changeset in turn, as a run does; resolves when none waits any more. */
  review(): Promise<void>;
  /** What the run does to a changeset by itself. */
  change(id: string, changes: Partial<Changeset>): void;
  close(): Promise<void>;
}

/** The page over changesets of a real repository, with a small engine that keeps states in memory. */
export async function serve(
  sets: readonly ServedChangeset[],
  options: {
    readonly preferences?: ReviewPagePreferences;
    /** On top of the environment git is run in. */
    readonly env?: Readonly<Record<string, string>>;
    /** Until when git has not answered what a diff is. */
    readonly diffsAfter?: Promise<void>;
    /** Called before a draft is stored; may throw. */
    readonly beforeKeep?: () => void;
  } = {},
): Promise<Served> {
  const repo = makeRepo();
  const git = await openGit({ cwd: repo.path, env: { ...repo.env, ...options.env } });
  let changesets = sets.map((set, index) => build(repo, set, index));
  const tasks = sets.map(({ task, more = [] }, index) =>
    [{ ...facts(index), ...task }, ...more].map((fields) =>
      sampleTask({ status: 'done', commit: changesets[index]!.commit, ...fields }),
    ),
  );
  const decided: [string, ChangesetDecision][] = [];
  const undone: string[] = [];
  let preferences: ReviewPagePreferences = options.preferences ?? { layout: 'line', theme: 'auto', order: 'chapters' };
  let kept: UnfinishedReview = emptyUnfinishedReview;
  const source: PageSource = {
    read: async () => ({
      session: sampleSession({ changesets: [...changesets] }),
      changesets: changesets.map((changeset, index) => ({
        changeset,
        isUndoable: ['approved', 'rejected', 'skipped'].includes(changeset.state),
        tryCommand: `git flame review --try ${changeset.group}`,
        tasks: tasks[index]!,
        verdicts: [verdictOn(tasks[index]![0]!)],
        doubts: (sets[index]!.doubts ?? []).map((reason) => ({
          task: tasks[index]![0]!.id,
          commit: changeset.commit,
          reasons: [reason],
        })),
        runs: [sampleRun(index, tasks[index]![0]!.id)],
      })),
    }),
    patch: async ({ parent, commit }, view) => {
      await options.diffsAfter;
      return git.readPatch(parent, commit, view);
    },
    text: async ({ commit }, path) => (await git.readTexts(commit, [path])).get(path) ?? null,
    since: async (changeset) =>
      sets.find((_, index) => changesets[index]!.id === changeset.id)?.since?.(changeset, repo) ?? null,
    guide: async (changeset, patch) => {
      const index = changesets.findIndex(({ id }) => id === changeset.id);
      const guide = await readReadingGuide({ git }, { changeset, tasks: tasks[index] ?? [] }, patch);
      return sets[index]?.guide?.(patch.files.map(({ path }) => path)) ?? guide;
    },
  };
  const page = await openReviewPageServer({
    source,
    preferences: {
      read: async () => preferences,
      write: async (wanted) => {
        preferences = wanted;
      },
    },
    kept: {
      read: async () => kept,
      write: async (wanted) => {
        options.beforeKeep?.();
        kept = wanted;
      },
    },
  });
  const record = (id: string, decision: ChangesetDecision): void => {
    if (decision.kind === 'again') return;
    if (changesets.find((one) => one.id === id)?.state !== 'waiting')
      throw new FlameError({
        kind: 'refused',
        code: 'decided-already',
        message: `${id} was decided already.`,
      });
    decided.push([id, withoutCommit(id, decision)]);
    if (decision.kind === 'choose') throw new Error('no attempt is chosen on the page');
    if (decision.kind === 'undo') throw new Error('what is taken back on the page is no decision');
    if (decision.kind === 'suggest') change(id, buildAgain(repo));
    else if (decision.kind === 'recheck') change(id, { diagnostics: [] });
    else change(id, { state: stateOf[decision.kind], decided_by: 'Lea Lead <lea@example.com>' });
  };
  /** What is approved is always what was shown. */
  const withoutCommit = (id: string, decision: ChangesetDecision): ChangesetDecision => {
    if (decision.kind !== 'approve') return decision;
    const { commit, ...rest } = decision;
    assert.is(commit, changesets.find((one) => one.id === id)?.commit);
    return rest;
  };
  const change = (id: string, changes: Partial<Changeset>): void => {
    changesets = changesets.map((one) => (one.id === id ? { ...one, ...changes } : one));
    page.refresh();
  };
  const review = async (): Promise<void> => {
    for (;;) {
      const changeset = changesets.find(({ state }) => state === 'waiting');
      if (changeset === undefined) return;
      const question: ChangesetQuestion = {
        ...sampleChangesetQuestion(),
        changeset,
        decideOther: async (id, decision) => record(id, decision),
        messageOf: async (id) => `${id}: as proposed\n`,
        checkMessage: async (_, message) => (message.startsWith('feat') ? null : 'It must begin with feat.'),
        takeBack: async (id) => {
          undone.push(id);
          change(id, { state: 'waiting', decided_by: null });
        },
      };
      const decision = await page.ask(question, new AbortController().signal);
      if (decision.kind !== 'again') record(changeset.id, decision);
    }
  };
  const close = async (): Promise<void> => {
    await page.close();
    await git.close();
    repo.remove();
  };
  return { page, repo, source, decided, undone, kept: () => kept, review, change, close };
}

const stateOf = { approve: 'approved', reject: 'rejected', skip: 'skipped' } as const;

function facts(index: number): Pick<Task, 'id'> {
  return { id: `task-00${index + 1}` as Task['id'] };
}

/** Another commit of the same change, as when something was put on top of it. */
function buildAgain(repo: TestRepo): Pick<Changeset, 'commit'> {
  repo.git('commit', '-q', '--allow-empty', '-m', 'again');
  return { commit: parseObjectId(repo.git('rev-parse', 'HEAD')) };
}

function build(repo: TestRepo, { group, change, changeset, more = [] }: ServedChangeset, index: number): Changeset {
  repo.git('checkout', '-q', '--detach', 'main');
  repo.git('clean', '-qfdx');
  change(repo);
  repo.git('add', '-A');
  repo.git('commit', '-q', '--allow-empty', '-m', group);
  repo.git('tag', '-f', group);
  const stat = repo.git('diff', '--text', '--numstat', '--no-renames', 'main', 'HEAD').split('\n').filter(Boolean);
  const sum = (column: number): number =>
    stat.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0);
  const base = parseObjectId(repo.git('rev-parse', 'main'));
  return {
    ...sampleChangesetQuestion().changeset,
    id: `1-${group}`,
    group,
    tasks: [facts(index).id, ...more.map(({ id }) => id)],
    base,
    parent: base,
    commit: parseObjectId(repo.git('rev-parse', 'HEAD')),
    diffstat: { files: stat.length, insertions: sum(0), deletions: sum(1) },
    ...changeset,
  };
}

function verdictOn({ id, commit }: Task): Verdict {
  return sampleVerdict({
    task: id,
    ...(commit === null ? {} : { commit }),
    status: 'pass',
    notes: 'It does what was asked.',
    issues: [],
    diagnostics: [{ ...redRun, exit_code: 0, output: 'all tests passed\n' }],
  });
}

function sampleRun(index: number, task: Task['id']) {
  return {
    id: `worker-0000000${index}`,
    role: 'worker' as const,
    task_id: task,
    model: null,
    started_at: '2026-02-06T14:30:22.000Z',
    ended_at: '2026-02-06T14:31:22.000Z',
    outcome: 'done',
    cost_usd: 0.42,
    tokens: 12_345,
    audit: { allowed: 12, blocked: 2, top: ['Bash curl https://example.com: network (2 times)'] },
  };
}
