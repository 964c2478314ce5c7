import { followLinesThroughHunks } from '../../core/changesets/versions-seen-before.ts';
import type { ObjectId } from '../../domain/ids.ts';
import type { GitDiffs } from '../../domain/ports/git-contents.ts';
import type { CommentWithFate } from '../../domain/state/changeset.ts';
import type { LineComment } from '../../domain/state/line-comment.ts';
import type { Hunk } from '../../domain/state/patch.ts';

/** Lines of an answer that are kept, and characters of each. */
const mostLines = 40;
const longestLine = 200;

interface Ends {
  readonly commit: ObjectId;
  readonly parent: ObjectId;
}

interface Commented {
  /** Commented versions; of several, the first that has the file. */
  readonly versions: readonly Ends[];
  readonly comments: readonly LineComment[];
  /** The tree of what was commented on, on what the work is built on now. */
  readonly from: ObjectId;
  readonly now: Ends;
}

/** Follows the lines that were commented on: first through changes from below, then through the author's own change. */
export async function followCommentedLines(
  git: GitDiffs,
  { versions, comments, from, now }: Commented,
): Promise<readonly CommentWithFate[]> {
  const hunks = patchReader(git);
  const answers: CommentWithFate[] = [];
  for (const comment of comments) {
    const found = await Promise.all(
      versions.map((version) =>
        comment.side === 'old'
          ? answerOld(hunks, comment, { version, now })
          : follow(hunks, comment, [
              { base: version.commit, tip: from },
              { base: from, tip: now.commit },
            ]),
      ),
    );
    const first = found.find(({ fate }) => fate === 'changed' || fate === 'gone' || fate === 'beside') ?? found[0];
    answers.push(first ?? { comment, fate: 'unknown', line: null, answer: [] });
  }
  return answers;
}

/** A line of the old side stood in what the change was made on: what counts is whether the change treats it as before. */
async function answerOld(
  hunks: ReadHunks,
  comment: LineComment,
  { version, now }: { readonly version: Ends; readonly now: Ends },
): Promise<CommentWithFate> {
  const before = await follow(hunks, comment, [{ base: version.parent, tip: version.commit }]);
  const after = await follow(hunks, comment, [
    { base: version.parent, tip: now.parent },
    { base: now.parent, tip: now.commit },
  ]);
  const wentBefore = before.line === null;
  const isGone = after.fate === 'changed' || after.fate === 'gone' || after.fate === 'file-gone';
  if (wentBefore && isGone) return { ...after, fate: 'stands', answer: [] };
  return wentBefore && after.line !== null ? { ...after, fate: 'changed' } : after;
}

interface Step {
  readonly base: ObjectId;
  readonly tip: ObjectId;
}

/** null: the file is not there any more. */
type ReadHunks = (step: Step, path: string) => Promise<readonly Hunk[] | null>;

/** Each file of each step is read once. */
function patchReader(git: GitDiffs): ReadHunks {
  const known = new Map<string, Promise<readonly Hunk[] | null>>();
  return ({ base, tip }, path) => {
    if (base === tip) return Promise.resolve([]);
    const key = `${base} ${tip} ${path}`;
    const found = known.get(key) ?? readHunks(git, { base, tip }, path);
    known.set(key, found);
    return found;
  };
}

async function readHunks(git: GitDiffs, { base, tip }: Step, path: string): Promise<readonly Hunk[] | null> {
  const { files } = await git.readPatch(base, tip, { ignoresSpace: false, paths: [path] });
  const file = files.find((one) => one.path === path);
  if (file === undefined) return [];
  return file.status === 'deleted' ? null : file.hunks();
}

async function follow(hunks: ReadHunks, comment: LineComment, steps: readonly Step[]): Promise<CommentWithFate> {
  // There is no such line: its excerpt would show it.
  if (comment.excerpt === undefined) return { comment, fate: 'unknown', line: null, answer: [] };
  let { line } = comment;
  const more = (comment.to ?? line) - line;
  let beside: Hunk | null = null;
  for (const [index, step] of steps.entries()) {
    const isOwn = index === steps.length - 1;
    const found = await hunks(step, comment.path);
    if (found === null) return { comment, fate: 'file-gone', line: null, answer: [] };
    const followed = followLinesThroughHunks(found, { line, to: line + more });
    if (followed.kind !== 'stands') {
      const fate = isOwn ? followed.kind : 'overtaken';
      return { comment, fate, line: null, answer: textOf(followed.hunk) };
    }
    line = followed.line;
    // A change from below is no answer.
    beside = followed.beside;
  }
  return { comment, fate: beside === null ? 'stands' : 'beside', line, answer: textOf(beside) };
}

const signs = { insert: '+', delete: '-', context: ' ' } as const;

function textOf(hunk: Hunk | null): readonly string[] {
  const lines = (hunk?.lines ?? []).map(({ kind, text }) => `${signs[kind]}${text}`.slice(0, longestLine));
  return lines.length <= mostLines
    ? lines
    : [...lines.slice(0, mostLines), ` [${lines.length - mostLines} more lines]`];
}
