import { type DeclaredNames, findDeclaredNames } from './declared-names.ts';
import type { Language } from './file-kind.ts';

/** How the public names of a file changed. */
export interface ChangedNames {
  readonly gone: readonly string[];
  readonly changed: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  readonly added: readonly string[];
  /** All that it declares now. */
  readonly now: readonly string[];
}

/**
 * Compares the public names of both sides of a file. Of a file that was not read whole, those alone that its hunks show:
 * a name whose declaration stands outside them is neither gone nor changed.
 */
export function compareDeclaredNames(
  sides: { readonly before: string; readonly after: string },
  language: Language,
): ChangedNames {
  const before = findDeclaredNames(sides.before, language);
  const after = findDeclaredNames(sides.after, language);
  return {
    gone: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...after].flatMap(([name, signatures]) => changeOf(name, before, signatures)),
    added: [...after.keys()].filter((name) => !before.has(name)),
    now: [...after.keys()],
  };
}

/** An overload more is no change of those that were there. */
function changeOf(name: string, before: DeclaredNames, after: readonly string[]): ChangedNames['changed'] {
  const old = before.get(name);
  if (old === undefined) return [];
  const lost = old.filter((signature) => !after.includes(signature));
  const found = after.filter((signature) => !old.includes(signature));
  return lost.length === 0 ? [] : [{ name, before: lost[0] ?? '', after: found[0] ?? '' }];
}

/** Names to follow from one file to another: those that are new, changed or gone. */
export function listNamesToFollow({ gone, changed, added }: ChangedNames): readonly string[] {
  return [...added, ...gone, ...changed.map(({ name }) => name)];
}
