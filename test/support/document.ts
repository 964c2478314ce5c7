import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { programFolder } from './program.ts';
import { hermeticEnv, makeTempDir } from './repo.ts';
import { openScreen } from './screen.ts';

/** A command of a document and what it says the screen shows. */
interface Shown {
  readonly kind: 'command';
  readonly command: string;
  readonly output: readonly string[];
}

/** A file the reader is told to save. */
interface Saved {
  readonly kind: 'file';
  readonly path: string;
  readonly text: string;
}

type Step = Shown | Saved;

/** What a command of the document really showed, ids and times as in every run. */
export interface Performed {
  readonly command: string;
  readonly said: readonly string[];
  readonly shown: readonly string[];
}

/** A line of only dots stands for any number of lines. */
export const elision = '...';

/**
 * Does what a document says, in its order, in a new folder: saves the files that follow "`path`:" and runs the
 * `$` lines of console blocks. A shown line that ends in a question and an answer is asked at a terminal and
 * answered so. Blocks after `<!-- not run -->` are left out.
 */
export async function performDocument(file: string): Promise<readonly Performed[]> {
  // node looks for a package.json upwards, and others may have left one in the temporary folder.
  const above = makeTempDir('tutorial');
  writeFileSync(join(above, 'package.json'), '{}');
  const folder = join(above, 'home');
  mkdirSync(folder);
  const done: Performed[] = [];
  let cwd = folder;
  for (const step of parseDocument(readFileSync(file, 'utf8'))) {
    if (step.kind === 'file') {
      writeFileSync(join(cwd, step.path), step.text);
      continue;
    }
    const { text, ended } = await runShown(step, { cwd, folder });
    cwd = ended;
    done.push({ command: step.command, said: step.output.map(normalize), shown: toLines(text, folder) });
  }
  return done;
}

/** The document with what the screen shows now. */
export function updateDocument(file: string, performed: readonly Performed[]): void {
  let index = 0;
  const text = readFileSync(file, 'utf8').replace(
    blocks,
    (block: string, note: string | undefined, kind: string, body: string) => {
      if (note !== undefined || kind !== 'console') return block;
      const fresh = parseConsole(body).flatMap(({ command, output }) => {
        const { shown = [] } = performed[index++] ?? {};
        return [`$ ${command}`, ...(output.includes(elision) ? updateQuestions(output, shown) : shown)];
      });
      return `\`\`\`console\n${fresh.join('\n')}\n\`\`\`\n`;
    },
  );
  writeFileSync(file, text);
}

/** Of an output told in part: the questions as they are asked now. */
function updateQuestions(output: readonly string[], shown: readonly string[]): readonly string[] {
  const asked = shown.filter((line) => answered.test(line));
  return output.map((line) => (answered.test(line) ? (asked.shift() ?? line) : line));
}

/** A question and what is answered. */
const answered = /^\(\w\).*\? (\S.*)$/;

const blocks = /(<!-- not run -->\n+)?```(\w+)\n([\s\S]*?)```\n/g;

function parseDocument(text: string): readonly Step[] {
  const steps: Step[] = [];
  for (const match of text.matchAll(blocks)) {
    const [, note = '', kind, body = ''] = match;
    if (note !== '') continue;
    const path = /`([\w./-]+)`:\s*$/.exec(text.slice(0, match.index))?.[1];
    if (kind === 'console') steps.push(...parseConsole(body));
    else if (path !== undefined) steps.push({ kind: 'file', path, text: body });
  }
  return steps;
}

function parseConsole(body: string): readonly Shown[] {
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((entry) => {
      const [command = '', ...output] = entry.trimEnd().split('\n');
      return { kind: 'command', command, output };
    });
}

async function runShown(
  { command, output }: Shown,
  { cwd, folder }: { readonly cwd: string; readonly folder: string },
): Promise<{ readonly text: string; readonly ended: string }> {
  const place = join(folder, '.cwd');
  const script = `cd '${cwd}' && { ${command.replace(/ +# .*$/, '')}\n}; pwd >'${place}'`;
  const env = {
    ...hermeticEnv,
    HOME: folder,
    PATH: `${programFolder}:${hermeticEnv.PATH ?? ''}`,
    NO_COLOR: '1',
  };
  const answers = output.flatMap((line) => answered.exec(line)?.[1] ?? []);
  const text = answers.length === 0 ? await runPiped(script, env) : await runAsked(script, env, answers);
  return { text, ended: resolve(readFileSync(place, 'utf8').trim()) };
}

function runPiped(script: string, env: Readonly<Record<string, string>>): Promise<string> {
  return new Promise((done) => {
    execFile('sh', ['-c', `exec 2>&1; ${script}`], { env }, (_error, stdout) => done(stdout));
  });
}

async function runAsked(
  script: string,
  env: Readonly<Record<string, string>>,
  answers: readonly string[],
): Promise<string> {
  const file = join(makeTempDir(), 'script');
  writeFileSync(file, script);
  // So wide that where a line is broken does not depend on how long the folder's name is.
  const screen = openScreen(`sh '${file}'`, { cwd: '/', env: { ...env, TERM: 'dumb' }, columns: 1000 });
  let typed = '';
  for (const answer of answers) {
    await screen.type(typed, /\? $/);
    typed = `${answer}\r`;
  }
  await screen.end(typed);
  return screen.text();
}

function toLines(text: string, folder: string): readonly string[] {
  const lines = text.trim() === '' ? [] : text.replaceAll(folder, '~').trimEnd().split('\n');
  // What a machine can't enforce, and how little memory it has, is said there alone.
  return lines
    .map((line) => normalize(line.trimEnd()))
    .filter((line) => !/^(?:warning: |Only \d+ of \d+ agents run at once)/.test(line));
}

/** Ids, times and object names as in every run. */
function normalize(line: string): string {
  return line
    .replace(/ses-\d{8}-\d{6}-[0-9a-f]{4}/g, 'ses-20260206-143022-1a2b')
    .replace(/\b(worker|validator|planner|merger)-[0-9a-f]{8}\b/g, '$1-1a2b3c4d')
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-02-06 14:30')
    .replace(/\bpid \d+/g, 'pid 4242')
    .replace(/\b(?:less than )?(?:\d+m )?\d+(?:\.\d+)? ?(?:ms|s)\b/g, '300 ms')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{40}\b/g, '1a2b3c4d5e'.repeat(4))
    .replace(/\b[0-9a-f]{10}\b/g, '1a2b3c4d5e')
    .replace(/^([*|\\/ ]*)[0-9a-f]{7}(?= )/, '$11a2b3c4');
}
