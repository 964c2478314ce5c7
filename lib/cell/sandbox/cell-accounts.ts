import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CellProfile } from './bwrap-profile.ts';

const accounts = '/etc/passwd';

/**
 * The accounts a cell is shown: the machine's own, with the pinned shell for the one that the agent runs as. Some CLIs
 * take the shell of their commands from there, whatever the environment says. Written into the folder `control`.
 */
export function showAccounts(
  control: string,
  { home, shell }: { readonly home: string; readonly shell: string },
): CellProfile['mounts'] {
  const text = readAccounts();
  if (text === null) return [];
  const source = join(control, 'passwd');
  const id = process.getuid?.() ?? 0;
  writeFileSync(source, withShell(text, { id, home, shell }), { mode: 0o644 });
  return [{ source, target: accounts }];
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
    return readFileSync(accounts, 'utf8');
  } catch {
    return null;
  }
}
