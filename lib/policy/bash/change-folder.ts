import { judgePath, type PathContext } from '../judge-path.ts';
import { resolvePath } from '../resolve-path.ts';
import { expandWord } from './expand-word.ts';
import { Refusal } from './refusal.ts';
import { mark, type Word } from './syntax.ts';
import { goTo, type Shell, type Walk } from './walk-state.ts';

/** `cd` goes to folders of the worktree; one that is not there yet leaves bash perhaps where it was. */
export function changeFolder(walk: Walk, shell: Shell, name: string, args: readonly Word[]): void {
  const [folder, ...others] = args.filter(({ values }) => values[0] !== '--');
  const before = shell.places;
  for (const place of before) walk.visited.add(place);
  const isBack = name === 'popd' ? folder === undefined : folder?.values[0] === '-';
  if (isBack && walk.visited.size > 1) {
    goTo(shell, [...walk.visited]);
    return;
  }
  if (
    folder === undefined ||
    others.length > 0 ||
    folder.isGlob ||
    folder.values.some((one) => /^-|^$/.test(one))
  )
    throw new Refusal('bash-directory', 'Write `cd FOLDER && …` with one folder of the worktree.');
  const context = { policy: walk.policy, facts: walk.facts };
  const reached = before.flatMap((cwd) =>
    expandWord({ ...context, cwd }, folder).flatMap((path) => {
      if (/^[\u0001\u0002]/.test(path)) {
        shell.isLost = true;
        return [cwd];
      }
      const target = folderOf({ ...context, cwd }, mark.filled(path));
      return walk.facts.lstat(target)?.kind === 'directory' || target.startsWith('/tmp')
        ? [target]
        : [cwd, target];
    }),
  );
  goTo(shell, reached);
}

/** A folder reached by a symlink has two parents, so it is refused. */
function folderOf(context: PathContext, path: string): string {
  const { policy, facts, cwd } = context;
  const found = resolvePath({
    path,
    cwd,
    worktree: policy.worktree,
    extra: policy.extra_writable ?? [],
    facts,
  });
  const refused = 'rule' in found ? found : judgePath(context, path, 'read');
  if ('rule' in found || refused !== null)
    throw new Refusal('bash-directory', refused?.details ?? `${path} is out of bounds.`);
  if (found.lexical !== found.resolved)
    throw new Refusal(
      'bash-directory',
      `${path} is a symlink; from there \`..\` is ambiguous. Go to ${found.resolved || '.'} instead.`,
    );
  if (found.kind === 'extra') return found.resolved;
  return found.resolved === '' ? policy.worktree : `${policy.worktree}/${found.resolved}`;
}
