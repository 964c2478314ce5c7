import type { Turn } from './scripted-model.ts';

/** The agent CLIs there are. */
export const hookedNames = ['claude', 'codex', 'opencode', 'gemini', 'kimi', 'copilot'] as const;
export type HookedName = (typeof hookedNames)[number];

type Call = NonNullable<Turn['calls']>[number];

/** How the model of a CLI does these by the names and fields that its CLI offers. */
export interface Hands {
  read(path: string): Call;
  /** Puts a line into a file that isn't there. */
  write(path: string, line: string): Call;
  run(command: string): Call;
  /** Puts a line into the place of those that the file has; it must have been read. */
  replace(path: string, before: readonly string[], line: string): Call;
}

type PlainHands = Omit<Hands, 'replace'>;

const patch = (head: string, lines: readonly string[]): string =>
  ['*** Begin Patch', `*** ${head}`, ...lines, '*** End Patch'].join('\n');
const addFile = (path: string, line: string): Call => ({
  name: 'apply_patch',
  input: patch(`Add File: ${path}`, [`+${line}`]),
});

function byPatch(plain: PlainHands): Hands {
  const replace = (path: string, before: readonly string[], line: string): Call => ({
    name: 'apply_patch',
    input: patch(`Update File: ${path}`, ['@@', ...before.map((one) => `-${one}`), `+${line}`]),
  });
  return { ...plain, replace };
}

function byWriting(plain: PlainHands): Hands {
  return { ...plain, replace: (path, _, line) => plain.write(path, line) };
}

export const hands: Readonly<Record<HookedName, Hands>> = {
  claude: byWriting({
    read: (file_path) => ({ name: 'Read', input: { file_path } }),
    write: (file_path, line) => ({ name: 'Write', input: { file_path, content: `${line}\n` } }),
    run: (command) => ({ name: 'Bash', input: { command, description: 'x' } }),
  }),
  codex: byPatch({
    read: (path) => ({ name: 'exec_command', input: { cmd: `cat ${path}` } }),
    write: addFile,
    run: (cmd) => ({ name: 'exec_command', input: { cmd } }),
  }),
  opencode: byWriting({
    read: (filePath) => ({ name: 'read', input: { filePath } }),
    write: (filePath, line) => ({ name: 'write', input: { filePath, content: `${line}\n` } }),
    run: (command) => ({ name: 'bash', input: { command, description: 'x' } }),
  }),
  gemini: byWriting({
    read: (file_path) => ({ name: 'read_file', input: { file_path } }),
    write: (file_path, line) => ({ name: 'write_file', input: { file_path, content: `${line}\n` } }),
    run: (command) => ({ name: 'run_shell_command', input: { command } }),
  }),
  kimi: byWriting({
    read: (path) => ({ name: 'Read', input: { path } }),
    write: (path, line) => ({ name: 'Write', input: { path, content: `${line}\n` } }),
    run: (command) => ({ name: 'Bash', input: { command } }),
  }),
  copilot: byPatch({
    read: (path) => ({ name: 'view', input: { path } }),
    write: addFile,
    run: (command) => ({ name: 'bash', input: { command, description: 'x' } }),
  }),
};
