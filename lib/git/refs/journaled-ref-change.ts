import { rmSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { readIfThere } from '../../util/read-file.ts';
import { type GitContext, runGit } from '../process/run-git.ts';

const oid = z.string().regex(/^[0-9a-f]{40,64}$/);
const identity = z.object({
  pid: z.int(),
  start: z.string().nullable(),
  host: z.string(),
  boot: z.string(),
  namespace: z.string(),
});

/**
 * A git command that takes lock files: which process started it, and what it must have changed once complete.
 */
export const journaledRefChangeSchema = z.object({
  owner: identity,
  /** The git; null where only its folder is known. */
  git: z.object({ pid: z.int(), start: z.string().nullable() }).nullable(),
  /** Refs that move together; null: the ref isn't there. */
  moves: z.array(z.object({ ref: z.string(), old: oid.nullable(), new: oid.nullable() })),
  /** Lock files it may take beside those of the refs; absolute. */
  locks: z.array(z.string()),
  /** A work tree that is brought from one commit to another, and the variables git does it by. */
  advance: z
    .object({
      workTree: z.string(),
      gitDir: z.string(),
      from: oid,
      to: oid,
      variables: z.record(z.string(), z.string()),
    })
    .nullable()
    .default(null),
});
export type JournaledRefChange = Readonly<z.infer<typeof journaledRefChangeSchema>>;
/** As it is begun. */
export type NewJournaledRefChange = Omit<z.input<typeof journaledRefChangeSchema>, 'owner'>;

/**
 * Finishes bringing a work tree along that a kill cut short: some files are as in `from`, some as in `to`, one may
 * be gone or written in part. False where nothing was begun, or anything else differs from both; nothing is touched
 * then.
 */
export async function finishWorktreeUpdate(
  env: GitContext['env'],
  { workTree, gitDir, from, to, variables }: NonNullable<JournaledRefChange['advance']>,
): Promise<boolean> {
  const context = { cwd: workTree, env, variables };
  const head = await runGit(context, ['rev-parse', 'HEAD'], { accept: [0, 128] });
  if (head.stdout.toString().trim() !== to) return false;
  // git puts the new index in place last.
  const staged = await runGit(context, ['diff-index', '--cached', '--quiet', from, '--'], { accept: [0, 1] });
  if (staged.exitCode !== 0) return false;
  const moved = await changedBetween(context, from, to);
  const unlikeTo = await unlike(context, gitDir, to);
  if (!unlikeTo.every((path) => moved.has(path))) return false;
  const unlikeFrom = new Set(await unlike(context, gitDir, from));
  for (const [path, status] of moved) {
    const isAsFrom = status !== 'A' && !unlikeFrom.has(path);
    const isAsTo = status !== 'D' && !unlikeTo.includes(path);
    if (!isAsFrom && !isAsTo && !(await isHalfWritten(context, to, path))) return false;
  }
  await runGit(context, ['read-tree', '--reset', '-u', to]);
  return true;
}

/** Paths that differ, with A for those that are new and D for those that go. */
async function changedBetween(context: GitContext, from: string, to: string): Promise<ReadonlyMap<string, string>> {
  const args = ['diff-tree', '-r', '-z', '--name-status', '--no-renames', from, to];
  const words = splitNul((await runGit(context, args)).stdout);
  return new Map(words.flatMap((word, at) => (at % 2 === 0 ? [[words[at + 1] ?? '', word] as const] : [])));
}

/** Paths of a commit that the work tree doesn't show so; by an index of its own. */
async function unlike(context: GitContext, gitDir: string, commit: string): Promise<readonly string[]> {
  const index = join(gitDir, `flame-advance-${process.pid}.index`);
  const env = { GIT_INDEX_FILE: index };
  try {
    await runGit(context, ['read-tree', commit], { env });
    await runGit(context, ['update-index', '-q', '--refresh'], { env, accept: [0, 1] });
    const args = ['diff-files', '-z', '--name-only', '--no-ext-diff', '--no-textconv', '--ignore-submodules=dirty'];
    return splitNul((await runGit(context, args, { env })).stdout);
  } finally {
    rmSync(index, { force: true });
    rmSync(`${index}.lock`, { force: true });
  }
}

/** Absent, or the beginning of what git was writing. */
async function isHalfWritten(context: GitContext, to: string, path: string): Promise<boolean> {
  const file = readIfThere(join(context.cwd, path));
  if (file === null) return true;
  const blob = await runGit(context, ['cat-file', 'blob', `${to}:${path}`], { accept: [0, 128] });
  return blob.exitCode === 0 && blob.stdout.subarray(0, file.length).equals(file);
}

function splitNul(output: Buffer): string[] {
  return output
    .toString()
    .split('\0')
    .filter((path) => path !== '');
}
