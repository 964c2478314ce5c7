/** How many plain patterns the braces of one glob may stand for: `{1..100000}` would stop every check. */
const maxAlternatives = 1_000;
const maxLength = 500;

/** Describes the problem of a path glob of the configuration, as the end of a sentence; null: none. */
export function globProblem(text: string): string | null {
  if (text === '') return 'is empty';
  if (text.length > maxLength) return `is longer than ${maxLength} characters`;
  if (/\p{Cc}/u.test(text)) return 'holds control characters';
  if (/^(?:\/|[A-Za-z]:[\\/])/.test(text) || /(?:^|\/)\.\.(?:\/|$)/.test(text)) {
    return 'must be relative to the repository and stay inside it';
  }
  if (text.startsWith('!')) return 'begins with !, but a path rule cannot be negated';
  if (/\\(?:[\p{L}\p{N}]|$)/u.test(text)) return 'holds a backslash; folders are parted by /';
  return bracketProblem(text);
}

function bracketProblem(text: string): string | null {
  const scan: Scan = { text, at: 0, problem: null };
  const count = countSequence(scan, false);
  if (scan.problem !== null) return `is not a valid glob: ${scan.problem}`;
  return count > maxAlternatives ? `stands for more than ${maxAlternatives} patterns` : null;
}

interface Scan {
  readonly text: string;
  at: number;
  problem: string | null;
}

/** Reads up to the `,` or `}` that ends one brace alternative; answers how many patterns it stands for. */
function countSequence(scan: Scan, isInBrace: boolean): number {
  let count = 1;
  while (scan.at < scan.text.length) {
    const char = scan.text[scan.at];
    if (isInBrace && (char === ',' || char === '}')) return count;
    scan.at += 1;
    if (char === '\\') scan.at += 1;
    else if (char === '[') skipClass(scan);
    else if (char === '{') count *= countBrace(scan);
    else if (char === '}') scan.problem ??= 'a } has no {';
    if (count > maxAlternatives) return count;
  }
  return count;
}

function countBrace(scan: Scan): number {
  const range = /^(-?\d+)\.\.(-?\d+)(?:\.\.-?\d+)?\}/.exec(scan.text.slice(scan.at));
  if (range !== null) {
    scan.at += range[0].length;
    return Math.abs(Number(range[2]) - Number(range[1])) + 1;
  }
  let count = 0;
  while (count <= maxAlternatives) {
    count += countSequence(scan, true);
    const end = scan.text[scan.at];
    scan.at += 1;
    if (end === '}') return count;
    if (end === undefined) {
      scan.problem ??= 'a { is never closed';
      return count;
    }
  }
  return count;
}

function skipClass(scan: Scan): void {
  // A ] right after the opening (or its negation) is literal.
  const inside = /^(?:[!^]|(?![!^]))(?:\]|\\.|[^\]\\])(?:\\.|\[:\w+:\]|[^\]\\])*\]/.exec(
    scan.text.slice(scan.at),
  );
  if (inside === null) scan.problem ??= 'a [ is never closed';
  scan.at += inside?.[0].length ?? 0;
}
