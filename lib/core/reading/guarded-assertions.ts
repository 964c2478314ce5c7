import { groupBy } from '../../util/sort-and-group.ts';
import { type ChangedText, isRealLine } from './changed-text.ts';

/** An assertion, and the lines that decide whether it runs or its failure counts. */
interface PlacedAssertion {
  readonly text: string;
  readonly guards: string[];
}

/** Lines that are indented deeper than the one that opens them. */
interface Block {
  readonly indent: number;
  readonly isConditional: boolean;
  /** What holds for the lines that follow in it. */
  readonly guards: string[];
}

const conditional = /^(?:\}?\s*(?:else|catch)\b|(?:if|except|switch|unless|when)\b)/;
const rescues = /^(?:\}?\s*catch\b|except\b)/;
const leaves =
  /\breturn(?:\s+(?:null|undefined|None|true|True|0))?\s*(?:[;}]|$)|\b(?:process|sys|os)\.(?:exit|_exit)\(/;

/**
 * Counts the assertions that a change leaves as they were, but behind a condition, behind a `return`, or where their
 * failure is caught, with the first such line. Blocks are read by their indentation.
 */
export function findGuardedAssertions(
  { before, after, isWhole, file }: Pick<ChangedText, 'before' | 'after' | 'isWhole' | 'file'>,
  assertion: RegExp,
): { readonly count: number; readonly guard: string } | null {
  if (!isWhole || file.status !== 'modified') return null;
  const places = groupBy(placeAssertions(before, assertion), ({ text }) => text);
  // From the end: what was added stands before what was there.
  const found = placeAssertions(after, assertion)
    .reverse()
    .flatMap(({ text, guards }) => {
      const former = places.get(text)?.pop();
      if (former === undefined || guards.length <= former.guards.length) return [];
      return guards.find((guard) => !former.guards.includes(guard)) ?? [];
    });
  const guard = found.at(-1);
  return guard === undefined ? null : { count: found.length, guard };
}

function placeAssertions(text: string, assertion: RegExp): PlacedAssertion[] {
  const found: PlacedAssertion[] = [];
  const tries = new Map<number, number>();
  const open: Block[] = [{ indent: -1, isConditional: false, guards: [] }];
  const innermost = (): Block | undefined => open.at(-1);
  for (const line of text.split('\n').filter((one) => one.length < widest && isRealLine(one))) {
    const indent = line.search(/\S/);
    const words = line.trim();
    while ((innermost()?.indent ?? -1) >= indent) open.pop();
    const isConditional = conditional.test(words);
    const at = assertion.exec(line)?.index;
    if (at !== undefined) {
      const guards = [...open.flatMap((block) => block.guards), ...(isConditional ? [words] : [])];
      found.push({ text: line.slice(at).trim(), guards });
    }
    if (at === undefined && leaves.test(words) && (isConditional || /^(?:return|process|sys|os)\b/.test(words)))
      leave(open, words);
    if (/^try\b/.test(words)) tries.set(indent, found.length);
    if (rescues.test(words)) {
      for (const one of found.slice(tries.get(indent) ?? found.length)) one.guards.push(words);
      tries.delete(indent);
    }
    open.push({ indent, isConditional, guards: isConditional ? [words] : [] });
  }
  return found;
}

const widest = 1_000;
/** More of one block say nothing new, and each assertion has them all. */
const mostGuards = 10;

/** What follows in the block that is left runs no more, or not always. */
function leave(open: readonly Block[], words: string): void {
  for (const block of [...open].reverse()) {
    if (block.guards.length < mostGuards) block.guards.push(words);
    if (!block.isConditional) return;
  }
}
