import { FlameError } from '../../domain/flame-error.ts';

/** Makes the error of an agent's work that exceeds a bound: `found` is its size, `most` the bound. */
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
