import { FlameError } from '../../domain/flame-error.ts';
import { type ObjectId, parseRefName, type RefName } from '../../domain/ids.ts';
import type { CellSubject, Rescue } from '../../domain/ports/git-cells.ts';
import type { GitCommits } from '../../domain/ports/git-commits.ts';
import type { GitRefs } from '../../domain/ports/git-port.ts';
import type { WithGit, Workshop } from '../workshop.ts';

/** Prefix of rescue refs; `<session>/<task>/<n>` follows. */
export const rescuePrefix = 'refs/blueflame/rescue/';

type Ports = WithGit<GitRefs> &
  Pick<Workshop, 'store'> & { readonly gates: Pick<Workshop['gates'], 'person'> };

/** Keeps a commit under the next free number of its task; one that is kept there already keeps its ref. */
export async function keepCommit(ports: Ports, subject: CellSubject, commit: ObjectId): Promise<RefName> {
  const prefix = `${rescuePrefix}${subject.session}/${subject.task}/`;
  for (;;) {
    const refs = await ports.git.listRefs(prefix);
    const known = refs.find((ref) => ref.commit === commit);
    if (known !== undefined) return known.ref;
    const numbers = refs.map(({ ref }) => Number(ref.slice(prefix.length)) || 0);
    const ref = parseRefName(`${prefix}${Math.max(0, ...numbers) + 1}`);
    const moved = await ports.store.transact(() => ({
      changes: [],
      refs: [{ ref, old: null, new: commit }],
      actor: ports.gates.person,
    }));
    if (moved.kind === 'done') return ref;
  }
}

/** Keeps what a task's branch holds before it is moved to something else: an attempt that was sent back. */
export async function keepFormer(
  ports: Ports & WithGit<GitCommits>,
  subject: CellSubject,
  { old, tip }: { readonly old: ObjectId | null; readonly tip: ObjectId },
): Promise<void> {
  if (old === null || old === tip || (await ports.git.isAncestor(old, tip))) return;
  await keepCommit(ports, subject, old);
}

/** `<session>/<task>/<n>` of a rescue ref. */
export function rescueName(ref: RefName): string {
  return ref.slice(rescuePrefix.length);
}

/**
 * The rescue a person means: its whole name, or a part of it that is clear; of one task the latest. Throws
 * FlameError `no-rescue` or `rescue-unclear`.
 */
export function findRescue<T extends Pick<Rescue, 'name'>>(rescues: readonly T[], name: string): T {
  const exact = rescues.find((rescue) => rescue.name === name || rescuePrefix + rescue.name === name);
  if (exact !== undefined) return exact;
  const matching = rescues.filter((rescue) => {
    const [session, task, number] = rescue.name.split('/');
    return [task, `${task}/${number}`, `${session}/${task}`, session].includes(name);
  });
  const tasks = new Set(matching.map((rescue) => rescue.name.replace(/\/\d+$/, '')));
  const latest = matching.toSorted((a, b) => numberOf(a.name) - numberOf(b.name)).at(-1);
  if (latest !== undefined && tasks.size === 1) return latest;
  throw new FlameError({
    kind: 'refused',
    code: latest === undefined ? 'no-rescue' : 'rescue-unclear',
    message:
      latest === undefined
        ? `Nothing was rescued under the name ${JSON.stringify(name)}.`
        : `${JSON.stringify(name)} may mean several rescues.`,
    hints: [
      'git flame rescue list',
      ...matching.slice(0, 5).map((one) => `git flame rescue show ${one.name}`),
    ],
  });
}

function numberOf(name: string): number {
  return Number(name.slice(name.lastIndexOf('/') + 1)) || 0;
}
