import type { PathContext } from '../judge-path.ts';
import { isHeavy, listTree } from '../judge-tree.ts';
import { type Objection, objection } from '../rules.ts';
import { expandGlob, isWild } from './expand-glob.ts';

/** Which links a program follows on its way: those it is given, or also all that it comes upon. */
export type Follows = 'given' | 'all';

/**
 * A program that goes through folders looks at what lies behind the links it follows by names that are nobody's:
 * those places are to be named as they are.
 */
export function judgeFollowed(
  context: PathContext,
  places: readonly string[],
  follows: Follows,
): Objection | null {
  const link = followedLink(context, places, follows);
  if (link === null) return null;
  return objection(
    'bash-option',
    `${link} is a symlink, and this would go through what it leads to. Leave links out, or name the place it leads to.`,
  );
}

/** The first link that would be followed; null: none. */
export function followedLink(
  { facts, ...context }: PathContext,
  places: readonly string[],
  follows: Follows,
): string | null {
  const plain = places.flatMap((one) =>
    isWild(one) ? (expandGlob(one, context.cwd, facts) ?? [one]) : [one],
  );
  for (const place of plain.map((one) => one.replace(/(.)\/+$/, '$1'))) {
    const tree = listTree({ facts, ...context }, place, { skips: isHeavy }) ?? [];
    const link = tree.find(({ below, kind }) => kind === 'symlink' && (follows === 'all' || below === ''));
    if (link !== undefined) return link.below === '' ? place : `${place}/${link.below}`;
  }
  return null;
}
