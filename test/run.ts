import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { proofKey, proofs, provenKeyFile } from './support/proof-key.ts';
import { countsCpu, type Job, type JobEnd, limitSeconds, runJob } from './support/run-job.ts';
import { withSourcePositions } from './support/source-positions.ts';

// uvu passes a file that never calls run(), a pattern that matches nothing and a stray `.only`, and has no
// time limit: this runner gives each file a process and a limit, and fails on each of them.

interface Judged extends JobEnd {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const noSkip = process.env.FLAME_TEST_NO_SKIP === '1';
// Files wait for processes nearly as long as they compute: three for two processors keep these busy, and a fourth makes
// each slower without more getting done.
const lanes = Number(process.env.FLAME_TEST_LANES ?? Math.ceil(1.5 * cpus().length));
// Seconds each took the last time; and of the processor, as committed, for where there was none:
// `FLAME_TEST_CPU=1 FLAME_UPDATE=1 npm test` measures them.
const timesFile = join(here, '..', 'test-times.json');
const weightsFile = join(root, 'test', 'weights.json');
// Cells that fill what they can write must meet a disk there.
const needsDisk = /^cell\/(?:hostile-|plain-user)/;
// Compiling hot code well costs more than it gains where a process lives for seconds, and each fork copies the map of
// all memory that new objects went through.
const nodeOptions = ['--interrupt-budget=5000000', '--max-semi-space-size=4'];
// What judges the sources themselves, beside the tests; it counts only where it finds something.
const checks: readonly Job[] = ['typecheck', 'lint'].map((name) => ({
  name,
  command: ['npm', 'run', '-s', name],
  isInMemory: false,
}));

// Seconds of the processor from which on a file is left to `npm test`: those with real programs of others, browsers
// and kills at every point.
const heavy = 6;

const options = ['--checks', '--quick', '--proofs'];
const wanted = process.argv.slice(2).filter((word) => !options.includes(word));
const asked = listTests(here)
  .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
  .map(testOf);
// Samples of moments to kill at are larger then.
if (process.argv.includes('--proofs')) process.env.FLAME_TEST_ALL = '1';
const isWhole = wanted.length === 0 && !process.argv.includes('--quick');
// They run whenever their key changed, and with `--proofs` always.
const [key, provenFile] = [proofKey(root), join(root, provenKeyFile)];
const areProven = readFileSync(provenFile, 'utf8').trim() === key && !process.argv.includes('--proofs');
const due = isWhole && areProven ? asked.filter(({ name }) => !proofs.test(name)) : asked;
const light = process.argv.includes('--quick') ? leaveHeavy(due) : due;
const ended = await runAll([...(process.argv.includes('--checks') ? checks : []), ...light]);
if (asked.length > due.length)
  process.stdout.write(`\n${asked.length - due.length} files of proofs passed with these CLIs: npm run test:all\n`);
else keepKey(ended);
report(ended, due.length - light.length);

/** Once all proofs passed: the next run skips them. Commit the file. */
function keepKey(all: readonly Judged[]): void {
  const passed = new Set(all.filter(({ failed }) => failed === 0).map(({ name }) => name));
  const proving = listTests(here)
    .map((file) => relative(here, file))
    .filter((name) => proofs.test(name));
  if (
    proving.every((name) => passed.has(name)) &&
    all.every(({ name, skipped }) => !proofs.test(name) || skipped === 0)
  )
    writeFileSync(provenFile, `${key}\n`);
}

function leaveHeavy(all: readonly Job[]): readonly Job[] {
  const weights = readTimes(weightsFile);
  return all.filter(({ name }) => (weights[name] ?? 0) < heavy);
}

function listTests(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return listTests(path);
    return entry.name.endsWith('.test.js') ? [path] : [];
  });
}

function testOf(file: string): Job {
  const name = relative(here, file);
  return {
    name,
    command: [process.execPath, ...nodeOptions, file],
    isInMemory: !needsDisk.test(name),
  };
}

async function runAll(all: readonly Job[]): Promise<Judged[]> {
  // Long ones first, so that the last doesn't run alone.
  const [times, weights] = [readTimes(timesFile), readTimes(weightsFile)];
  const expected = ({ name }: Job): number => times[name] ?? weights[name] ?? 0;
  const waiting = [...all].sort((a, b) => expected(b) - expected(a));
  const done: Judged[] = [];
  const lane = async (): Promise<void> => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      const end = await runJob(job);
      times[job.name] = end.seconds;
      const judged = checks.includes(job) ? judgeCheck(job, end) : judgeTests(job, end);
      done.push(judged);
      show(judged);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  writeFileSync(timesFile, JSON.stringify(times));
  if (countsCpu && isWhole && process.env.FLAME_UPDATE === '1') writeWeights(done);
  return done;
}

function readTimes(file: string): Record<string, number> {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
}

/** Those that count; what is left out comes last. */
function writeWeights(all: readonly Judged[]): void {
  const weights = all
    .map(({ name, cpuSeconds }) => [name, Math.round(cpuSeconds ?? 0)] as const)
    .filter(([, seconds]) => seconds >= 2)
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b));
  writeFileSync(weightsFile, `${JSON.stringify(Object.fromEntries(weights), null, 2)}\n`);
}

function judgeCheck({ name }: Job, end: JobEnd): Judged {
  return { ...end, name, passed: 0, failed: end.code === 0 ? 0 : 1, skipped: 0 };
}

function judgeTests({ name }: Job, end: JobEnd): Judged {
  const total = numberAfter(end.output, 'Total');
  const passed = numberAfter(end.output, 'Passed');
  const skipped = numberAfter(end.output, 'Skipped');
  const failed = total - passed;
  const text = readFileSync(join(here, name), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const hasOnly = /\b(?:test|\w+)\.only\(/.test(text);
  let note = '';
  if (end.timedOut) note = `took longer than ${limitSeconds} s`;
  else if (total + skipped === 0) note = 'ran no test';
  else if (end.code !== 0 && failed === 0) note = `ended with ${end.code}`;
  else if (hasOnly) note = 'holds a stray .only';
  else if (noSkip && skipped > 0) note = 'skipped tests where nothing may be skipped';
  const judged = { ...end, name, passed, skipped };
  if (note === '') return { ...judged, failed };
  return { ...judged, failed: Math.max(failed, 1), output: `${end.output}\n  ${name} ${note}\n` };
}

function numberAfter(output: string, word: string): number {
  return Number(output.match(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'm'))?.[1] ?? 0);
}

function show({ name, passed, failed, seconds, cpuSeconds, output }: Judged): void {
  const mark = failed > 0 ? 'FAIL' : 'ok  ';
  const cpu = cpuSeconds === null ? '' : `, ${cpuSeconds.toFixed(1)} s CPU`;
  process.stdout.write(`${mark} ${name}  ${passed} passed, ${seconds.toFixed(1)} s${cpu}\n`);
  if (failed > 0) process.stdout.write(`${withSourcePositions(output, here)}\n`);
  for (const line of output.match(/^SKIP .*$/gm) ?? []) process.stdout.write(`     ${line}\n`);
}

/** Where a second of work on the tests gains most. */
function showDearest(all: readonly Judged[]): void {
  const costOf = ({ cpuSeconds, seconds }: Judged): number => cpuSeconds ?? seconds;
  const dearest = [...all].sort((a, b) => costOf(b) - costOf(a)).slice(0, 10);
  const unit = countsCpu ? 's CPU' : 's';
  process.stdout.write('\nThe dearest files:\n');
  for (const one of dearest) process.stdout.write(`${costOf(one).toFixed(0).padStart(6)} ${unit}  ${one.name}\n`);
}

function report(all: readonly Judged[], leftOut: number): void {
  const sum = (pick: (one: Judged) => number): number => all.reduce((total, one) => total + pick(one), 0);
  const [passed, failed, skipped] = [sum((r) => r.passed), sum((r) => r.failed), sum((r) => r.skipped)];
  if (all.length === 0) process.stdout.write('no test file matches\n');
  if (isWhole) showDearest(all);
  if (countsCpu) process.stdout.write(`\n${sum((r) => r.cpuSeconds ?? 0).toFixed(0)} s CPU\n`);
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  if (leftOut > 0) process.stdout.write(`\n${leftOut} heavy files are left out: npm test runs all\n`);
  process.stdout.write(`\n${passed} passed, ${failed} failed${tail}\n`);
  process.exitCode = failed > 0 || all.length === 0 || passed === 0 ? 1 : 0;
}
