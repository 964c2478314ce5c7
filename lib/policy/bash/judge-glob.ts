import { braceExpand } from 'minimatch';
import { judgePath, type PathContext } from '../judge-path.ts';
import { type Objection, objection } from '../rules.ts';
import { judgePattern } from './program.ts';

/** Judges a wildcard over paths: where it starts, that it never goes up, and that it doesn't aim at what is blocked. */
export function judgeGlob(context: PathContext, pattern: string): Objection | null {
  if (pattern.trim() === '' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^[A-Za-z]:[\\/]|\.\.\\|\\\.\./u.test(pattern)) {
    return objection(
      'path-malformed',
      `The pattern ${JSON.stringify(pattern)} can't be read. Write it plainly.`,
    );
  }
  for (const one of [pattern, ...braceExpand(pattern)]) {
    if (/(?:^|[/({,|!@+?*])\.\.(?:$|[/)},|])/.test(one)) {
      return objection(
        'path-outside',
        `${pattern} goes up with \`..\`. Start from a folder of the worktree.`,
      );
    }
  }
  for (const one of braceExpand(withoutGroups(pattern))) {
    const found = judgeStart(context, one) ?? judgePattern(context, relativeTo(context.policy.worktree, one));
    if (found !== null) return found;
  }
  return null;
}

/** Groups of the extended kind by what they may stand for: `@(a|b)` is one of the two, `!(a)` anything. */
function withoutGroups(pattern: string): string {
  return pattern.replace(/([@+*?!])\(([^()]*)\)/g, (_, mark: string, choices: string) => {
    if (mark === '!') return '*';
    const all = mark === '@' || mark === '+' ? choices.split('|') : [...choices.split('|'), ''];
    return all.length === 1 ? (all[0] ?? '') : `{${all.join(',')}}`;
  });
}

/** The folder before the first wildcard; the whole when there is none. */
function judgeStart(context: PathContext, pattern: string): Objection | null {
  const wild = pattern.search(/[*?[{(!]/);
  const plain = wild < 0 ? pattern : pattern.slice(0, pattern.slice(0, wild).lastIndexOf('/') + 1);
  return plain === '' ? null : judgePath(context, plain, 'read');
}

function relativeTo(worktree: string, pattern: string): string {
  return pattern.startsWith(`${worktree}/`) ? pattern.slice(worktree.length + 1) : pattern;
}
