import { braceExpand } from 'minimatch';
import { shellGlobMatchesPath } from '../../util/path-globs.ts';
import { judgePath, judgePathByName, type PathContext } from '../judge-path.ts';
import { createObjection, type PolicyObjection } from '../policy-rules.ts';
import { agentCliSettingsFiles } from '../protected-places.ts';

/** Judges a wildcard over paths: where it starts, that it never goes up, and that it doesn't aim at what is blocked. */
export function judgeGlob(context: PathContext, pattern: string): PolicyObjection | null {
  if (pattern.trim() === '' || /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]|^[A-Za-z]:[\\/]|\.\.\\|\\\.\./u.test(pattern)) {
    return createObjection(
      'path-malformed',
      `The pattern ${JSON.stringify(pattern)} can't be read. Write a simpler one.`,
    );
  }
  for (const one of [pattern, ...braceExpand(pattern)]) {
    if (/(?:^|[/({,|!@+?*])\.\.(?:$|[/)},|])/.test(one)) {
      return createObjection('path-outside', `${pattern} goes up with \`..\`. Start from a folder of the worktree.`);
    }
  }
  for (const one of braceExpand(withoutGroups(pattern))) {
    const found =
      judgeStart(context, one) ?? judgeWildcardAimedAtHidden(context, relativeTo(context.policy.worktree, one));
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
function judgeStart(context: PathContext, pattern: string): PolicyObjection | null {
  const wild = pattern.search(/[*?[{(!]/);
  const plain = wild < 0 ? pattern : pattern.slice(0, pattern.slice(0, wild).lastIndexOf('/') + 1);
  return plain === '' ? null : judgePath(context, plain, 'read');
}

function relativeTo(worktree: string, pattern: string): string {
  return pattern.startsWith(`${worktree}/`) ? pattern.slice(worktree.length + 1) : pattern;
}

// The other protected places have plain names, which a wildcard over a kind of file is free to match.
const guarded = ['.git', '.blueflame.yml', ...agentCliSettingsFiles.filter((name) => name.startsWith('.'))];

/** A wildcard with letters of its own that a hidden name would match is aimed at it; `*` and `*.*` are at nothing yet. */
export function judgeWildcardAimedAtHidden(context: PathContext, pattern: string): PolicyObjection | null {
  const { policy } = context;
  const bare = pattern.replace(/^!/, '').replace(/^(?:\.\/)+/, '');
  if (!/[*?[{(]/.test(bare)) return judgePathByName(policy, bare, 'read');
  const names = bare.split('/');
  const last = names.at(-1) ?? '';
  const lettered = (name: string): boolean => /\p{L}\p{L}|\.\p{L}/u.test(plain(name));
  const hasLetters = lettered(last) || names.some((name) => /[*?[{]/.test(name) && lettered(name));
  const aims = (one: string): boolean =>
    [bare, `**/${bare}`].some((glob) => shellGlobMatchesPath(glob, one)) ||
    (lettered(last) && !one.includes('/') && shellGlobMatchesPath(last, one));
  // A kind of file is free to match one plain name.
  const isKind = /^[*?]+\./.test(last);
  const hidden = policy.hidden_paths.find(
    (glob) => hasLetters && !(isKind && !/[*?[{]/.test(glob.replace('**/', ''))) && stands(glob).some(aims),
  );
  const settings = last.startsWith('.') ? guarded.find(aims) : undefined;
  const folder = names
    .slice(0, -1)
    .find((name) => !/[*?[{(]/.test(name) && name !== '' && judgePathByName(policy, name, 'read') !== null);
  const aimed = hidden ?? settings ?? folder;
  if (aimed === undefined) return null;
  return createObjection(
    'path-hidden',
    `${pattern} matches files that are hidden from agents (${aimed}). Search elsewhere.`,
  );
}

function plain(name: string): string {
  return name.replace(/\[[^\]]*\]/g, 'a').replace(/[^\p{L}\p{N}.]/gu, '');
}

/** Names that a glob stands for, with and without something in place of its wildcards. */
function stands(glob: string): readonly string[] {
  return braceExpand(glob.replace(/[@+*?!]\([^()]*\)/g, '*')).flatMap((one) => {
    const fill = (text: string): string =>
      one
        .replace(/^(?:\*\*\/)+/, '')
        .replace(/\*+/g, text)
        .replace(/\[[^\]]*\]|\?/g, 'x');
    return [fill(''), fill('x')];
  });
}
