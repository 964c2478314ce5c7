import { readFileSync } from 'node:fs';

export const accountsPath = '/etc/passwd';

/**
 * Returns the accounts a cell is shown, a passwd(5) file: the machine's own, with the pinned shell for the account the
 * agent runs as. Some CLIs take the shell of their commands from there, not from the environment. null: there is none.
 */
export function accountsFor({
  home,
  shell,
}: {
  readonly home: string;
  readonly shell: string;
}): string | null {
  const text = readAccounts();
  return text === null ? null : withShell(text, { id: process.getuid?.() ?? 0, home, shell });
}

/** A passwd(5) file in which the user of that id has the shell; there is an entry for it in any case. */
export function withShell(
  text: string,
  { id, home, shell }: { readonly id: number; readonly home: string; readonly shell: string },
): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const isOwn = (line: string): boolean => line.split(':')[2] === `${id}`;
  const changed = lines.map((line) => {
    const fields = line.split(':');
    return isOwn(line) && fields.length === 7 ? [...fields.slice(0, 6), shell].join(':') : line;
  });
  const added = lines.some(isOwn) ? [] : [`agent:x:${id}:${id}::${home}:${shell}`];
  return `${[...changed, ...added].join('\n')}\n`;
}

function readAccounts(): string | null {
  try {
    return readFileSync(accountsPath, 'utf8');
  } catch {
    return null;
  }
}
