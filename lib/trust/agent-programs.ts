import { basename } from 'node:path';
import { cliNames } from '../domain/config/agent-clis.ts';
import type { TreeProcess } from '../util/process-tree.ts';

// How an agent CLI, and what its model types, is recognised among the processes of a machine.

/** Variables that agent CLIs set for the commands they run; Kimi alone sets none. */
const marks = [
  'CLAUDECODE',
  'CODEX_THREAD_ID',
  'GEMINI_CLI',
  'OPENCODE',
  'COPILOT_CLI',
  'COPILOT_AGENT_SESSION_ID',
  'QWEN_CODE',
  'CURSOR_AGENT',
  // The name that several have agreed on.
  'AI_AGENT',
];

/** The variable by which an agent CLI marks what it starts; null: there is none. */
export function agentMark(env: Readonly<Record<string, string | undefined>>): string | null {
  return marks.find((name) => (env[name] ?? '') !== '') ?? null;
}

const programs = new Set<string>(cliNames);
/** Folders where npm and the CLIs' own installers put them; their programs have names of all kinds there. */
const folders =
  /(?:^|\/)(?:@anthropic-ai\/claude-code|@openai\/codex|opencode(?:-ai|-(?:linux|darwin)[^/]*)|@google\/gemini-cli|@moonshot-ai\/kimi-code|@github\/copilot|claude\/versions)(?=[-@/])/;
/** They run scripts, whose name is the program's. */
const interpreters = /^(?:node[\d.]*|nodejs|bun|deno|python[\d.]*|MainThread|node-MainThread)$/;

/** Whether a process is an agent CLI, also one that node, bun or python runs. `program`: the file it runs. */
export function isAgentProgram({ name, words }: Omit<TreeProcess, 'parent'>, program = ''): boolean {
  const [first = ''] = words;
  const isRun = [name, basename(first), basename(program)].some((one) => interpreters.test(one));
  const script = isRun ? scriptsIn(words) : [];
  return [name, first, program, ...script].some((one) => programs.has(stem(one)) || folders.test(one));
}

/** Words that may be the script: a value of an option looks like it. */
function scriptsIn([, ...words]: readonly string[]): readonly string[] {
  const first = words.findIndex(
    (word, at) => !word.startsWith('-') && !/^-[a-z-]+$/.test(words[at - 1] ?? ''),
  );
  return words.slice(0, first === -1 ? words.length : first + 1).filter((word) => !word.startsWith('-'));
}

function stem(path: string): string {
  return basename(path).replace(/\.(?:[cm]?js|py|exe)$/, '');
}

const shells = new Set(['sh', 'dash', 'ash', 'bash', 'zsh', 'ksh', 'fish']);

/** Whether a process does nothing but start another. */
export function standsBetween({ name, words }: Omit<TreeProcess, 'parent'>): boolean {
  const [first = '', second = ''] = words;
  if (name === 'git') return true;
  if (basename(first) === 'npm') return second === 'exec';
  return isShell({ words }) && !isTypedIn({ words });
}

/** Whether a shell is one where a person types: it has neither a command nor a script. */
export function isTypedIn({ words }: Pick<TreeProcess, 'words'>): boolean {
  if (!isShell({ words })) return false;
  const [, ...rest] = words;
  if (rest.some((word) => /^-[a-z]*i[a-z]*$/.test(word) || word === '--interactive')) return true;
  return rest.every((word) => word.startsWith('-') && !/^-[a-z]*c$/.test(word));
}

function isShell({ words: [first = ''] }: Pick<TreeProcess, 'words'>): boolean {
  return shells.has(basename(first).replace(/^-/, ''));
}
