/** A line that both have, that was expected alone (`-`) or that came out alone (`+`). */
export type Edit = readonly [sign: ' ' | '-' | '+', line: string];

const leftOut = '...';
const isExit = (line: string): boolean => line.startsWith('exit ');

/** Whether lines are those expected, where `...` stands for one or more of them; an exit code is never left out. */
export function matches(expected: readonly string[], actual: readonly string[]): boolean {
  const pattern = expected.map((line) =>
    line === leftOut ? '(?:2?>.*\n)+?' : `${line.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}\n`,
  );
  return new RegExp(`^${pattern.join('')}$`).test(actual.map((line) => `${line}\n`).join(''));
}

/** What makes the one of the other, with as many lines kept as can be; what was left out stays so. */
export function editsBetween(expected: readonly string[], actual: readonly string[]): readonly Edit[] {
  const edits: Edit[] = [];
  let [from, hereFrom] = [0, 0];
  for (const [at, here] of [...longestCommon(expected, actual), [expected.length, actual.length] as const]) {
    const [removed, all] = [expected.slice(from, at), actual.slice(hereFrom, here)];
    const isLeftOut = removed.join() === leftOut && all.some((line) => !isExit(line));
    const added = isLeftOut ? all.filter(isExit) : all;
    edits.push(...removed.map((line) => [isLeftOut ? ' ' : '-', line] as const));
    edits.push(...added.map((line) => ['+', line] as const));
    edits.push(...expected.slice(at, at + 1).map((line) => [' ', line] as const));
    [from, hereFrom] = [at + 1, here + 1];
  }
  return edits;
}

type Pair = readonly [at: number, here: number];

function longestCommon(one: readonly string[], other: readonly string[]): readonly Pair[] {
  // Of what follows each pair of places, the last first.
  let below: (readonly Pair[])[] = Array.from({ length: other.length + 1 }, () => []);
  for (let at = one.length - 1; at >= 0; at -= 1) {
    const row: (readonly Pair[])[] = [];
    row[other.length] = [];
    for (let here = other.length - 1; here >= 0; here -= 1) {
      const [skipOne = [], skipOther = [], next = []] = [below[here], row[here + 1], below[here + 1]];
      if (one[at] === other[here]) row[here] = [[at, here], ...next];
      else row[here] = skipOne.length >= skipOther.length ? skipOne : skipOther;
    }
    below = row;
  }
  return below[0] ?? [];
}
