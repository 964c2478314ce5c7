import { FlameError } from '../../domain/flame-error.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';
import { nearestName } from '../../util/nearest-name.ts';
import { shellQuote } from '../../util/shell-quote.ts';

/**
 * The remote to share with: the one named, else the current branch's, else the only one, else origin. Throws FlameError
 * `no-remote`.
 */
export async function pickRemote(context: GitContext, name: string | null): Promise<string> {
  const remotes = (await gitText(context, ['remote'])).split('\n').filter((remote) => remote !== '');
  if (name !== null) {
    if (remotes.includes(name)) return name;
    throw notAmong(`There is no remote ${JSON.stringify(name)}.`, remotes, name);
  }
  const upstream = await branchRemote(context);
  if (upstream !== null && remotes.includes(upstream)) return upstream;
  const [only] = remotes;
  if (only !== undefined && remotes.length === 1) return only;
  if (remotes.includes('origin')) return 'origin';
  const problem = only === undefined ? 'This repository has no remote to share the state with.' : null;
  throw notAmong(problem ?? 'There are several remotes and none is called origin.', remotes, null);
}

async function branchRemote(context: GitContext): Promise<string | null> {
  const branch = await gitText(context, ['symbolic-ref', '--quiet', '--short', 'HEAD'], { accept: [0, 1] });
  if (branch === '') return null;
  const remote = await gitText(context, ['config', '--get', `branch.${branch}.remote`], { accept: [0, 1] });
  return remote === '' ? null : remote;
}

function notAmong(message: string, remotes: readonly string[], name: string | null): FlameError {
  const near = name === null ? null : nearestName(name, remotes);
  const known = near === null ? remotes.slice(0, 5) : [near];
  const hints = known.map((remote) => `git flame sync ${shellQuote(remote)}`);
  return noRemote(
    message,
    hints.length > 0 ? hints : [`git remote add ${shellQuote(name ?? 'origin')} URL`],
    {
      remotes,
    },
  );
}

/** None is there, or several and none of them is the obvious one. */
export function noRemote(
  message: string,
  hints: readonly string[],
  data: Readonly<Record<string, unknown>> = {},
): FlameError {
  return new FlameError({ kind: 'environment', code: 'no-remote', message, hints, data });
}
