import { shellQuote } from '../util/shell-quote.ts';
import { FlameError } from './flame-error.ts';

/**
 * The refusal of a ref that git can't make beside another one: a name can't be both a ref and a folder of refs. `wanted` is
 * the ref, or the folder it would be in.
 */
export function refInTheWay(
  inTheWay: string,
  wanted: string,
  {
    further = [],
    free = freeName(inTheWay),
  }: { readonly further?: readonly string[]; readonly free?: string } = {},
): FlameError {
  const branch = branchOf(inTheWay);
  const what = branch === null ? `The ref ${inTheWay}` : `The branch ${branch}`;
  return new FlameError({
    kind: 'refused',
    code: 'ref-in-the-way',
    message: `${what} is in the way: git makes no ${wanted} beside it, where this program keeps its own.`,
    hints: [
      branch === null
        ? `git tag ${free} ${shellQuote(inTheWay)} && git update-ref --no-deref -d ${shellQuote(inTheWay)}`
        : `git branch -m ${shellQuote(branch)} ${shellQuote(free)}`,
      ...further,
    ],
    data: { ref: inTheWay, wanted },
  });
}

/** Parses git's error where it can't make a ref beside another one; null: it is another error. */
export function readInTheWay(message: string): { readonly inTheWay: string; readonly wanted: string } | null {
  const [, inTheWay, wanted] = /'(refs\/[^']+)' exists; cannot create '(refs\/[^']+)'/.exec(message) ?? [];
  return inTheWay === undefined || wanted === undefined ? null : { inTheWay, wanted };
}

function freeName(ref: string): string {
  return `${(branchOf(ref) ?? ref).replaceAll('/', '-')}-old`;
}

function branchOf(ref: string): string | null {
  return ref.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null;
}
