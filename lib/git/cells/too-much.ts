import { FlameError } from '../../domain/flame-error.ts';

/** What an agent left is more than is looked at: `found` and `most` are what there is and what may be. */
export function tooMuch(
  what: string,
  amount: { readonly found: number; readonly most: number; readonly where?: string },
): FlameError {
  const { found, most, where } = amount;
  const place = where === undefined ? '' : ` (${where})`;
  return new FlameError({
    kind: 'refused',
    code: 'cell-too-much',
    message: `The work has ${inWords(found)} ${what}${place}; at most ${inWords(most)} are judged.`,
    details: ['It stays in its worktree. Less at once can be judged.'],
    data: { what, found, most },
  });
}

function inWords(count: number): string {
  return count > Number.MAX_SAFE_INTEGER ? 'countless' : count.toLocaleString('en-US');
}
