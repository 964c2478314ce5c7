import { type Config, landingBranch } from '../../domain/config/config.ts';
import type { FlameError } from '../../domain/flame-error.ts';
import { refInTheWay } from '../../domain/no-writing.ts';
import type { GitRefs } from '../../domain/ports/git-port.ts';
import type { WithGit } from '../workshop.ts';

/** Roots to search: the places of this program, and all refs of such a name. */
const roots = ['refs/blueflame', 'refs/heads/blueflame', 'refs/blueflame-remotes', 'refs/blueflame-backup'];
// The refs of REFS.md: folders where nothing may have the name alone, and refs that nothing may lie below.
const folders = new RegExp(
  `^(?:${roots.join('|')}|refs/blueflame/(?:archive|archive/(?:kept|commits)|kept|commits|machines)|refs/blueflame/(?:rescue|changesets)(?:/ses-[^/]+)?|refs/heads/blueflame/ses-[^/]+)$`,
);
const leaves =
  /^(refs\/blueflame\/(?:archive\/)?(?:sessions|tasks|validations|reviews|blackboard|memory|signatures|shown)|refs\/heads\/blueflame\/ses-[^/]+\/[^/]+)\/./;

/** The refs of the person beside which git can't make those of a session, each as the refusal that names the way out. */
export async function refsInTheWay(
  { git }: WithGit<Pick<GitRefs, 'refNames'>>,
  config: Config,
): Promise<readonly FlameError[]> {
  const landing = landingPlaces(config);
  const names = await git.refNames([
    ...roots,
    ...landing.folders,
    ...(landing.leaf === null ? [] : [landing.leaf]),
  ]);
  const all = new Set(names);
  return names.flatMap((ref) => {
    const below = leaves.exec(ref)?.[1] ?? null;
    const isLanding =
      landing.folders.includes(ref) || (landing.leaf !== null && ref.startsWith(`${landing.leaf}/`));
    if (!folders.test(ref) && below === null && !isLanding) return [];
    const wanted =
      below ?? (landing.folders.includes(ref) || folders.test(ref) ? `${ref}/…` : `${landing.leaf}`);
    return refInTheWay(ref, wanted, {
      free: freeName(ref, all),
      further: isLanding ? ['Or set project.landing_branch in .blueflame.yml'] : [],
    });
  });
}

/** Places of the branch for a pull request: the folders above it and, where it is known before the session, itself. */
function landingPlaces(config: Config): {
  readonly folders: readonly string[];
  readonly leaf: string | null;
} {
  if (config.project.landing !== 'branch') return { folders: [], leaf: null };
  const parts = landingBranch(config, '{session}').split('/');
  const open = parts.findIndex((part) => part.includes('{session}'));
  const plain = parts.slice(0, open === -1 ? parts.length : open);
  const places = plain.map((_, at) => `refs/heads/${plain.slice(0, at + 1).join('/')}`);
  return open === -1
    ? { folders: places.slice(0, -1), leaf: places.at(-1) ?? null }
    : { folders: places, leaf: null };
}

function freeName(ref: string, taken: ReadonlySet<string>): string {
  const name = `${ref.replace(/^refs\/heads\//, '').replaceAll('/', '-')}-old`;
  for (let count = 1; ; count += 1) {
    const tried = count === 1 ? name : `${name}-${count}`;
    if (!taken.has(`refs/heads/${tried}`) && !taken.has(`refs/tags/${tried}`)) return tried;
  }
}
