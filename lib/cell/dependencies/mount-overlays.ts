import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { programPath } from '../../util/programs.ts';
import { removeTree } from '../../util/remove-tree.ts';
import type { SandboxState } from '../sandbox-state.ts';

/** A folder that a cell sees with changes of its own on top. */
export interface Overlay {
  /** Holds `lower`, which may be a link, `upper` and `work`. */
  readonly own: string;
  /** The folder it appears at. */
  readonly target: string;
}

// bubblewrap mounts overlays itself from 0.11 on, and Debian 12 has 0.8. The options' paths are relative, since commas
// and colons divide them.
const mountScript = `mount=$1
shift
while [ "$1" != -- ]; do
  cd "$1" && "$mount" -i -t overlay -o userxattr,lowerdir=lower,upperdir=upper,workdir=work overlay "$2" || exit 125
  shift 2
done
shift
exec "$@"`;

/** Builds the words before bubblewrap: `entrance`, and a command that mounts overlays which only the cell sees. */
export function mountOverlays(
  entrance: SandboxState['entrance'],
  overlays: readonly Overlay[],
  searchPath: string | undefined,
): readonly string[] {
  const words = entrance.map((word, at) => (at === 0 ? programPath(word, searchPath) : word));
  if (overlays.length === 0) return words;
  return [
    // mount(8) serves root alone; bubblewrap gives the program its own user again.
    ...words.map((word) => (word === '--map-current-user' ? '--map-root-user' : word)),
    '/bin/sh',
    '-c',
    mountScript,
    'sh',
    programPath('mount', searchPath),
    ...overlays.flatMap(({ own, target }) => [own, target]),
    '--',
  ];
}

/**
 * Whether cells can have overlays in a folder: kernels, containers, file systems and policies of the system each may
 * refuse them, so it is tried.
 */
export async function canMountOverlays(
  { confinement, entrance }: Pick<SandboxState, 'confinement' | 'entrance'>,
  folder: string,
  searchPath: string | undefined,
): Promise<boolean> {
  if (confinement !== 'bubblewrap' || entrance.length === 0) return false;
  await removeTree(folder);
  for (const path of ['lower/a/b', 'upper', 'work', 'target'])
    mkdirSync(join(folder, path), { recursive: true });
  const target = join(folder, 'target');
  const [program = '', ...args] = mountOverlays(entrance, [{ own: folder, target }], searchPath);
  const { execa } = await import('execa');
  const { failed } = await execa(program, [...args, '/bin/sh', '-c', trial, 'sh', target], {
    stdio: 'ignore',
    env: { PATH: searchPath },
    extendEnv: false,
    timeout: 10_000,
    killSignal: 'SIGKILL',
    reject: false,
  });
  await removeTree(folder);
  return !failed;
}

// Removed files must stay removed, and a new folder in their place be empty: not every file system supports that.
const trial = 'cd "$1" && rmdir a/b a && mkdir a && [ -z "$(ls a)" ] && : > c && mv c a/c';
