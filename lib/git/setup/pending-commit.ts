import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ObjectId, objectIdPattern, parseObjectId } from '../../domain/ids.ts';
import type { Repository } from '../../domain/ports/git-port.ts';
import type { ChangedFile } from '../../domain/state/patch.ts';
import { readStagedFiles, readTextOfBlob } from '../diff/changed-files.ts';
import { emptyTrees } from '../objects/git-access.ts';
import { withCatFile } from '../process/cat-file.ts';
import { type GitContext, runGitForText } from '../process/run-git.ts';
import { readHead } from '../refs/resolve-commit.ts';

/** A commit that is about to be made, as a git hook sees it. */
export interface PendingCommit {
  /** Short name of the branch it's for, also in the middle of a rebase; null: none. */
  readonly branch: string | null;
  /** Whether it ends a merge. */
  readonly isMerge: boolean;
  /** The files it changes. Of a merge: those that are as on none of its sides. */
  files(): Promise<readonly ChangedFile[]>;
  /** Staged texts by path; see readTextsInCommit. */
  texts(files: readonly ChangedFile[]): Promise<ReadonlyMap<string, string>>;
  /** The message without what git takes out of it: comments where an editor was open, and a diff below scissors. */
  message(file: string): Promise<string>;
}

/** The commit being made in this work tree; `env` is the hook's, which says which index is committed. */
export async function readPendingCommit(
  env: GitContext['env'],
  { gitDir, commonDir, objectFormat }: Repository,
  workTree: string,
): Promise<PendingCommit> {
  const index = env.GIT_INDEX_FILE;
  const git: GitContext = {
    cwd: workTree,
    env,
    variables: {
      GIT_DIR: gitDir,
      GIT_WORK_TREE: workTree,
      ...(index === undefined ? {} : { GIT_INDEX_FILE: resolve(workTree, index) }),
    },
  };
  const head = await readHead(git);
  const merged = readMerged(gitDir);
  return {
    branch: head.branch ?? readRebased(gitDir),
    isMerge: merged.length > 0,
    files: () =>
      withCatFile({ context: git, commonDir }, async (objects) => {
        const base = head.commit ?? parseObjectId(emptyTrees[objectFormat]);
        const files = await readStagedFiles(git, objects, base);
        const others = await Promise.all(merged.map((side) => readStagedFiles(git, objects, side)));
        return files.filter(({ path }) => others.every((side) => side.some((file) => file.path === path)));
      }),
    texts: (files) =>
      withCatFile({ context: git, commonDir }, async (objects) => {
        const texts = await Promise.all(
          files.map(async ({ path, newOid }) => [path, await readTextOfBlob(objects, newOid)] as const),
        );
        return new Map(texts.flatMap(([path, text]) => (text === null ? [] : [[path, text] as const])));
      }),
    message: (file) => readMessage(git, resolve(workTree, file)),
  };
}

function readMerged(gitDir: string): readonly ObjectId[] {
  const file = join(gitDir, 'MERGE_HEAD');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
  return lines.filter((line) => objectIdPattern.test(line)).map(parseObjectId);
}

/** The branch a rebase will move, while HEAD is detached. */
function readRebased(gitDir: string): string | null {
  const files = ['rebase-merge', 'rebase-apply'].map((folder) => join(gitDir, folder, 'head-name'));
  const file = files.find((one) => existsSync(one));
  const name = file === undefined ? '' : readFileSync(file, 'utf8').trim();
  return name.startsWith('refs/heads/') ? name.slice('refs/heads/'.length) : null;
}

async function readMessage(git: GitContext, file: string): Promise<string> {
  const text = readFileSync(file, 'utf8');
  // git sets this where no person could have edited the text.
  if (git.env.GIT_EDITOR === ':') return text;
  const kept = text.split(/^\S+ -{24} >8 -{24}$/m)[0] ?? '';
  return runGitForText(git, ['stripspace', '--strip-comments'], { input: kept });
}
