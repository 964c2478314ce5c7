import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, freemem, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeTree } from '../lib/cell/remove-tree.ts';

// uvu passes a file that never calls run(), a pattern that matches nothing and a stray `.only`, and has no
// time limit: this runner gives each file a process and a limit, and fails on each of them.

interface FileResult {
  readonly file: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly output: string;
  readonly seconds: number;
  /** Of the file and all it started and waited for; null where nobody asked. */
  readonly cpuSeconds: number | null;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const limitSeconds = Number(process.env.FLAME_TEST_LIMIT ?? 600);
const noSkip = process.env.FLAME_TEST_NO_SKIP === '1';
const countsCpu = process.env.FLAME_TEST_CPU === '1';
// Files wait for processes as long as they compute: two for each processor keep it busy.
const lanes = Number(process.env.FLAME_TEST_LANES ?? 2 * cpus().length);
// Seconds each file took the last time.
const timesFile = join(here, '..', 'test-times.json');
// What all temporary folders together need at most.
const neededBytes = 4 * 2 ** 30;
// Cells that fill what they can write must meet a disk there.
const needsDisk = /^cell\/(?:hostile-|plain-user)/;
// Compiling hot code well costs more than it gains where a process lives for seconds.
const nodeOptions = ['--interrupt-budget=5000000'];
// What processes used that were started and waited for, by the shell that started them.
const counted = ['/bin/sh', '-c', '"$@" 3>&-; code=$?; times >&3; exit $code', 'sh'];
const wanted = process.argv.slice(2);

const files = listTests(here).filter(
  (file) => wanted.length === 0 || wanted.some((part) => file.includes(part)),
);
const running = new Set<ChildProcess>();
// Each file has a process group of its own, which the end of this one doesn't reach.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    for (const child of running) endGroup(child);
    process.exit(1);
  });
const inMemory = wordsForMemory();
const results = await runAll(files, lanes);
report(results);

function listTests(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listTests(path);
    return entry.name.endsWith('.test.js') ? [path] : [];
  });
}

async function runAll(queue: string[], width: number): Promise<FileResult[]> {
  // Long ones first, so that the last file doesn't run alone.
  const times = readTimes();
  const expected = (file: string): number =>
    times[relative(here, file)] ?? (file.includes('/e2e/') ? 20 : 10);
  const waiting = [...queue].sort((a, b) => expected(b) - expected(a));
  const done: FileResult[] = [];
  const lane = async (): Promise<void> => {
    for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
      const result = await runFile(file);
      done.push(result);
      show(result);
    }
  };
  await Promise.all(Array.from({ length: width }, lane));
  for (const { file, seconds } of done) times[file] = seconds;
  writeFileSync(timesFile, JSON.stringify(times));
  return done;
}

function readTimes(): Record<string, number> {
  return existsSync(timesFile) ? JSON.parse(readFileSync(timesFile, 'utf8')) : {};
}

/**
 * Words before a command that give it a temporary folder in memory, which goes with its last process. Where only
 * root may mount, others use the disk.
 */
function wordsForMemory(): readonly string[] {
  const words = [
    'unshare',
    '-m',
    'sh',
    '-c',
    'mount -t tmpfs -o mode=755 flame "$TMPDIR" && exec "$@"',
    'sh',
  ];
  const [program = '', ...more] = words;
  const folder = mkdtempSync(join(tmpdir(), 'flame-'));
  const env = { ...process.env, TMPDIR: folder };
  const canMount = spawnSync(program, [...more, 'true'], { env }).status === 0;
  removeTree(folder);
  return canMount && freemem() >= neededBytes && process.env.FLAME_TEST_DISK !== '1' ? words : [];
}

async function runFile(file: string): Promise<FileResult> {
  const began = Date.now();
  // A file that is ended at its limit can't clear up after itself, nor can programs that tests kill.
  const temporary = mkdtempSync(join(tmpdir(), 'flame-'));
  // One test runs the program as another user.
  chmodSync(temporary, 0o755);
  const name = relative(here, file);
  const [program = '', ...words] = [
    ...(needsDisk.test(name) ? [] : inMemory),
    ...(countsCpu ? counted : []),
    ...[process.execPath, ...nodeOptions, file],
  ];
  const child = spawn(program, words, {
    stdio: ['ignore', 'pipe', 'pipe', countsCpu ? 'pipe' : 'ignore'],
    detached: true,
    env: { ...process.env, TMPDIR: temporary, FORCE_COLOR: '0', NODE_OPTIONS: '--enable-source-maps' },
  });
  const [chunks, times]: [Buffer[], Buffer[]] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdio[3]?.on('data', (chunk: Buffer) => times.push(chunk));
  const { code, timedOut } = await waitFor(child);
  removeTree(temporary);
  const output = Buffer.concat(chunks).toString();
  const total = numberAfter(output, 'Total');
  const passed = numberAfter(output, 'Passed');
  const skipped = numberAfter(output, 'Skipped');
  let failed = total - passed;
  const hasOnly = /\b(?:test|\w+)\.only\(/.test(readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, ''));
  let note = '';
  if (timedOut) note = `took longer than ${limitSeconds} s`;
  else if (total === 0) note = 'ran no test';
  else if (code !== 0 && failed === 0) note = `ended with ${code}`;
  else if (hasOnly) note = 'holds a stray .only';
  else if (noSkip && skipped > 0) note = 'skipped tests where nothing may be skipped';
  if (note !== '' && failed === 0) failed = 1;
  return {
    file: name,
    passed,
    failed,
    skipped,
    output: note === '' ? output : `${output}\n  ${name} ${note}\n`,
    seconds: (Date.now() - began) / 1000,
    cpuSeconds: countsCpu ? sumOfTimes(Buffer.concat(times).toString()) : null,
  };
}

async function waitFor(child: ChildProcess): Promise<{ code: number | null; timedOut: boolean }> {
  let timedOut = false;
  running.add(child);
  const timer = setTimeout(() => {
    timedOut = true;
    endGroup(child);
  }, limitSeconds * 1000);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearTimeout(timer);
  running.delete(child);
  return { code, timedOut };
}

function endGroup({ pid }: ChildProcess): void {
  if (pid !== undefined) process.kill(-pid, 'SIGKILL');
}

function numberAfter(output: string, word: string): number {
  return Number(output.match(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'm'))?.[1] ?? 0);
}

/** `times` of a shell: minutes and seconds, of the user and of the system, its own and its children's. */
function sumOfTimes(text: string): number {
  return [...text.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

function show(result: FileResult): void {
  const mark = result.failed > 0 ? 'FAIL' : 'ok  ';
  const cpu = result.cpuSeconds === null ? '' : `, ${result.cpuSeconds.toFixed(1)} s CPU`;
  process.stdout.write(
    `${mark} ${result.file}  ${result.passed} passed, ${result.seconds.toFixed(1)} s${cpu}\n`,
  );
  if (result.failed > 0) process.stdout.write(`${result.output}\n`);
  for (const line of result.output.match(/^SKIP .*$/gm) ?? []) process.stdout.write(`     ${line}\n`);
}

function report(all: FileResult[]): void {
  const sum = (pick: (result: FileResult) => number): number =>
    all.reduce((total, result) => total + pick(result), 0);
  const [passed, failed, skipped] = [sum((r) => r.passed), sum((r) => r.failed), sum((r) => r.skipped)];
  if (all.length === 0) process.stdout.write('no test file matches\n');
  if (countsCpu) process.stdout.write(`\n${sum((r) => r.cpuSeconds ?? 0).toFixed(0)} s CPU\n`);
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  process.stdout.write(`\n${passed} passed, ${failed} failed${tail}\n`);
  process.exitCode = failed > 0 || all.length === 0 || passed === 0 ? 1 : 0;
}
