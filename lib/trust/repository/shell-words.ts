/** One command of a shell line, as far as it can be separated without a shell. */
export interface ShellCommand {
  /** With their quotes. What a substitution stands for is a word that begins with `$`. */
  readonly words: readonly string[];
  /** Sources that its input is redirected from, with their quotes; '' for text made as it runs. */
  readonly inputs: readonly string[];
  /** Whether another command writes its input. */
  readonly isPiped: boolean;
}

const token =
  /\$\(|\d*(?:<<<|<<-?|<>|>>|>\||[<>])&?|[;&|()`\n]|(?:\\.|"(?:\\.|[^"\\])*"|'[^']*'|\$\{[^}]*\}|\$(?!\()|[^\s;&|()`$"'\\<>])+/gs;

interface Draft {
  words: string[];
  inputs: string[];
  isPiped: boolean;
}

/** The commands of a shell line, those inside `$(…)`, backticks and parentheses too. */
export function splitCommands(line: string): readonly ShellCommand[] {
  const found: ShellCommand[] = [];
  const outer: Draft[] = [];
  let now: Draft = { words: [], inputs: [], isPiped: false };
  let redirect: string | null = null;
  let isTicked = false;
  const begin = (isPiped: boolean): void => {
    if (now.words.length > 0) found.push(now);
    now = { words: [], inputs: [], isPiped };
  };
  const goIn = (): void => {
    outer.push(now);
    now = { words: [], inputs: [], isPiped: false };
  };
  for (const [part] of line.matchAll(token)) {
    const closes = part === ')' || (part === '`' && isTicked);
    if (part === '`') isTicked = !isTicked;
    if (closes) {
      begin(false);
      now = outer.pop() ?? now;
    } else if (part === '$(' || part === '`') {
      if (redirect?.startsWith('<')) now.inputs.push('');
      else if (redirect === null) now.words.push('$()');
      goIn();
    } else if (part === '(' && redirect !== null) {
      now.inputs.push('');
      goIn();
    } else if (/^[;&|(\n]$/.test(part)) begin(part === '|');
    else if (/^\d*[<>]/.test(part)) {
      redirect = part.replace(/^\d+/, '');
      continue;
    } else if (redirect === null) now.words.push(part);
    else if (redirect.startsWith('<')) now.inputs.push(part);
    redirect = null;
  }
  begin(false);
  while (outer.length > 0) {
    now = outer.pop() ?? now;
    begin(false);
  }
  return found;
}

/** The text of commands inside a word in double quotes. */
export function substitutionsIn(word: string): readonly string[] {
  const inner = /\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`/gs;
  return word.includes('"') ? [...word.matchAll(inner)].map(([, one, other]) => one ?? other ?? '') : [];
}

/** A word as its program reads it, but for variables. */
export function unquoted(word: string): string {
  return word.replace(/\\(.)|["']/gs, (_whole, escaped: string | undefined) => escaped ?? '');
}

/** Whether a word holds what is only known when it runs. */
export function hasVariable(word: string): boolean {
  return /[$`]/.test(word.replace(/'[^']*'|\\./gs, ''));
}
