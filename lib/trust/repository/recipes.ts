import { basename } from 'node:path';
import { isJsonRecord, parseJson } from '../../util/json.ts';
import type { FileReadOnce } from './read-file-once.ts';

const packageFiles = ['package.json'];
// Settings of these runners may name another shell, or code that is loaded first.
const npmFiles = [...packageFiles, '.npmrc'];
const settings = new Set(['.npmrc', '.yarnrc', '.yarnrc.yml', 'bunfig.toml']);
const makefiles = ['GNUmakefile', 'makefile', 'Makefile'];
// These run commands from a file that need not be named as an argument.
const recipes: Readonly<Record<string, readonly string[]>> = {
  npm: npmFiles,
  npx: npmFiles,
  pnpm: [...npmFiles, '.pnpmfile.cjs'],
  yarn: [...npmFiles, '.yarnrc', '.yarnrc.yml'],
  bun: [...npmFiles, 'bunfig.toml'],
  deno: ['deno.json', 'deno.jsonc', ...packageFiles],
  make: makefiles,
  gmake: makefiles,
  just: ['justfile', '.justfile', 'Justfile'],
  task: ['Taskfile.yml', 'Taskfile.yaml', 'taskfile.yml', 'taskfile.yaml'],
  rake: ['Rakefile', 'rakefile'],
  composer: ['composer.json'],
};
const blocks = new Set([...makefiles, 'justfile', '.justfile', 'Justfile'].map((name) => name.toLowerCase()));

/** Files that say what a program runs. */
export function listRecipeFilesOfProgram(word: string): readonly string[] {
  const name = basename(word);
  return Object.hasOwn(recipes, name) ? (recipes[name] ?? []) : [];
}

/** Whether it runs a package's program by its name: one that lies in the repository goes before any other. */
export function runsPackagePrograms(word: string): boolean {
  return ['npx', 'npm', 'pnpm', 'pnpx', 'yarn', 'bun', 'bunx'].includes(basename(word));
}

/** The shell commands that a recipe runs for what is asked of it; all of them where that names none. */
export function listRecipeCommands({ path, bytes }: FileReadOnce, asked: readonly string[]): readonly string[] {
  const text = bytes?.toString() ?? '';
  if (/\.jsonc?$/.test(path)) return scriptsIn(text, asked);
  if (settings.has(basename(path))) return programsIn(text);
  if (basename(path) === '.pnpmfile.cjs') return [];
  return blocks.has(basename(path).toLowerCase()) ? blocksIn(text, asked) : [text];
}

function scriptsIn(text: string, asked: readonly string[]): readonly string[] {
  const value = parseJson(text.replace(/^\s*\/\/.*$/gm, '').replace(/,(\s*[}\]])/g, '$1'));
  if (!isJsonRecord(value)) return [text];
  const scripts = [value.scripts, value.tasks].flatMap((all) => (isJsonRecord(all) ? Object.entries(all) : []));
  const isAsked = ([name]: readonly [string, unknown]): boolean =>
    asked.some((word) => [word, `pre${word}`, `post${word}`].includes(name));
  const found = scripts.filter(isAsked);
  return (found.length > 0 ? found : scripts).flatMap(([, script]) => wordsIn(script));
}

/** Scripts are texts, lists of them, or `{ command }`. */
function wordsIn(script: unknown): readonly string[] {
  if (typeof script === 'string') return [script];
  if (Array.isArray(script)) return script.flatMap(wordsIn);
  return isJsonRecord(script) ? wordsIn(script.command) : [];
}

/** Programs and modules that settings name; tokens and registries are left out. */
function programsIn(text: string): readonly string[] {
  const lines = text.matchAll(/^[ \t]*(?:script-?shell|shell|node-?options|yarn-?path|preload)\b[ \t]*[=: \t](.+)$/gim);
  return [...lines].map(([, value = '']) => value);
}

/** `name: needs`, with lines below that begin with a blank. */
function blocksIn(text: string, asked: readonly string[]): readonly string[] {
  const all: { names: string[]; needs: string[]; lines: string[] }[] = [];
  const values = new Map<string, string>();
  for (const line of text.replaceAll('\\\n', ' ').split('\n')) {
    const [, names, needs = ''] = /^@?([^\s:=#][^:=#]*):(?![=:]?=)([^#]*)/.exec(line) ?? [];
    const [, variable, value = ''] = /^(\w+)\s*[:?]*=\s*(.*)$/.exec(line) ?? [];
    if (/^[ \t]/.test(line)) all.at(-1)?.lines.push(line.trim().replace(/^[@+-]+/, ''));
    else if (variable !== undefined) values.set(variable, value);
    else if (names !== undefined) {
      const [before = '', inline = ''] = needs.split(';', 2);
      all.push({ names: names.split(/\s+/), needs: before.split(/\s+/), lines: [inline] });
    } else if (/^-?include\b|^import\b|^mod\b/.test(line))
      all.push({ names: asked.slice(0, 1), needs: [], lines: [line] });
  }
  const wanted = new Set(asked);
  for (const name of wanted)
    for (const block of all.filter(({ names }) => names.includes(name)))
      for (const need of block.needs) wanted.add(need);
  const found = all.filter(({ names }) => names.some((name) => wanted.has(name)));
  const isPlain = found.length > 0 && !text.includes('%:');
  return (isPlain ? found : all).map(({ lines }) => withValues(lines.join('\n'), values));
}

/** With the file's own variables put in, and what make calls the target; `$$` is the shell's `$`. */
function withValues(text: string, values: ReadonlyMap<string, string>): string {
  const own = /\$\((\w+)\)|\$\{(\w+)\}|\{\{\s*(\w+)\s*\}\}|\$\$|\$[@<^*?+]/g;
  return text.replace(own, (whole, ...names: (string | undefined)[]) => {
    if (whole === '$$') return '$';
    const name = names.slice(0, 3).find((one) => one !== undefined);
    return name === undefined ? 'target' : (values.get(name) ?? whole);
  });
}
