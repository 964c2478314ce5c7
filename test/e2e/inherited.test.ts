import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { programPath } from '../../lib/util/child-programs.ts';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { programEnd, programFolder } from '../support/program.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { trusted } from '../support/trusted.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

/** What any process in sight has open beside its streams, and what else a process inherits. */
const look = [
  'cd /proc; [ $# -gt 0 ] || set -- [0-9]*',
  'for process; do for open in "$process"/fd/*; do',
  '  case $open in */fd/[012]) continue ;; esac',
  '  to=$(readlink "$open") || continue',
  '  case $to in /proc/*/fd) ;; *) echo "OPEN $open $to"; ls "$open/" ;; esac',
  'done; tr "\\0" "\\n" <"$process/environ"; ls -l "$process/cwd" "$process/root"; done',
  'echo "umask $(umask)"',
  '(: </dev/tty) && echo TOP-SECRET terminal',
  'true',
  '',
].join('\n');

interface Caller {
  /** What it has open beside its streams, by number. */
  readonly open?: ReadonlyMap<number, number>;
  readonly env?: Readonly<Record<string, string>>;
  /** A line of bash that becomes the program, `"$@"`. */
  readonly shell?: string;
}

function start(repo: TestRepo, argv: readonly string[], { open, env, shell }: Caller): ChildProcess {
  const stdio: Exclude<StdioOptions, string> = ['ignore', 'pipe', 'pipe'];
  for (let at = 3; at <= Math.max(...(open?.keys() ?? [])); at += 1) stdio.push(open?.get(at) ?? 'ignore');
  const program = [join(programFolder, 'git-flame'), ...argv];
  const [first = '', ...rest] = shell === undefined ? program : ['bash', '-c', shell, 'bash', ...program];
  return spawn(first, rest, { cwd: repo.path, env: { ...repo.env, ...env }, stdio });
}

/** A folder of the person. */
function secretFolder(): string {
  const home = makeTempDir();
  writeFileSync(join(home, 'TOP-SECRET'), '');
  return home;
}

interface Seen {
  /** What each kind of program saw. */
  readonly worker: string;
  readonly setup: string;
  readonly script: string;
  readonly git: string;
}

function makeLooking(config?: Readonly<Record<string, unknown>>): TestRepo {
  const repo = makeExecProject({ ...(config === undefined ? {} : { config }) });
  repo.write('look.sh', look);
  repo.commit('feat: look');
  return trusted(repo);
}

/** A whole run, in which each kind of program it starts writes down what reached it. A diagnostic fails where one of `traces` did. */
async function runWith(caller: Caller, traces: readonly string[] = ['TOP-SECRET']): Promise<Seen> {
  const notes = makeTempDir();
  const search = traces.map((trace) => `-e "$(echo ${Buffer.from(trace).toString('base64')} | base64 -d)"`);
  const repo = makeLooking({
    project: { name: 'sample', base_branch: 'main', setup: ['sh look.sh >setup.txt 2>&1'] },
    validation: {
      validator_diagnostics: {
        commands: [`sh look.sh >/tmp/seen 2>&1; test -s b.txt && ! grep -F ${search.join(' ')} /tmp/seen`],
      },
    },
    hooks: { post_plan: `sh look.sh self >${notes}/script 2>&1` },
  });
  const bin = join(notes, 'bin');
  mkdirSync(bin);
  const wrapper = `#!/bin/sh\n{ ls -l /proc/$$/fd/ /proc/$$/fd/*/; umask; env; } >>${notes}/git 2>&1\nexec ${programPath('git', process.env.PATH)} "$@"\n`;
  writeFileSync(join(bin, 'git'), wrapper, { mode: 0o755 });
  const plan = writePlan(repo, [
    { id: 'a', script: 'mv setup.txt b.txt; sh look.sh >a.txt 2>&1', locks: ['a.txt', 'b.txt'] },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const argv = ['run', 'Look', '--from', plan, '--decisions-file', decisions, '--json'];
  const env = { ...caller.env, PATH: `${bin}:${process.env.PATH ?? ''}` };
  const run = await programEnd(start(repo, argv, { ...caller, env }));
  assert.is(run.code, 0, `${run.stdout}${run.stderr}`);
  const [worker, setup] = ['a.txt', 'b.txt'].map((name) => readFileSync(join(repo.path, name), 'utf8'));
  const [script, git] = ['script', 'git'].map((name) => readFileSync(join(notes, name), 'utf8'));
  return { worker: worker ?? '', setup: setup ?? '', script: script ?? '', git: git ?? '' };
}

/** Fails where a trace is in what any of them saw. */
function assertUnseen(
  seen: Seen,
  traces: readonly string[] = ['TOP-SECRET'],
  kinds = ['worker', 'setup', 'script', 'git'] as const,
): void {
  for (const kind of kinds) {
    assert.match(seen[kind], /^(?:umask )?0\d{3}$/m, `${kind} did not look`);
    const lines = seen[kind].split('\n').filter((line) => traces.some((trace) => line.includes(trace)));
    assert.equal(lines, [], kind);
  }
}

inCell(
  'ANY-4 a folder that the caller has open, at whatever number, is open in nothing that a run starts',
  async () => {
    const home = openSync(secretFolder(), 'r');
    assertUnseen(await runWith({ open: new Map([3, 9, 16, 17, 40, 200, 251].map((number) => [number, home])) }));
    closeSync(home);
  },
);

inCell("ANY-4 what is no folder isn't either: sockets, pseudo-terminals, deleted files, /proc, watches", async () => {
  const server: Server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const gone = join(makeTempDir(), 'deleted-file');
  const deleted = openSync(gone, 'w+');
  rmSync(gone);
  const before = new Set(readdirSync('/proc/self/fd'));
  const watcher = watch(secretFolder());
  const inotify = readdirSync('/proc/self/fd').find(
    (name) => !before.has(name) && linkOf(Number(name)).includes('inotify'),
  );
  const socket = (server as unknown as { readonly _handle: { readonly fd: number } })._handle.fd;
  const things = [
    socket,
    openSync('/dev/ptmx', 'r+'),
    deleted,
    openSync('/proc', 'r'),
    ...(inotify === undefined ? [] : [Number(inotify)]),
  ];
  const traces = things.map(linkOf).map((link) => (link === '/proc' ? 'filesystems' : link));
  assert.ok(traces.length >= 4);
  const open = new Map(things.flatMap((thing, at) => [[18 + 2 * at, thing] as const, [100 + 2 * at, thing] as const]));
  assertUnseen(await runWith({ open }, traces), traces);
  watcher.close();
  server.close();
});

function linkOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}

inCell('ANY-4 a folder is closed also where its name holds the number of the process', async () => {
  const own = `${secretFolder()}/of-$$`;
  assertUnseen(await runWith({ shell: `mkdir "${own}"; : > "${own}/TOP-SECRET"; exec 200<"${own}"; exec "$@"` }));
});

inCell('ANY-4 a thousand open files are no hindrance', async () => {
  const home = openSync(secretFolder(), 'r');
  assertUnseen(await runWith({ open: new Map(Array.from({ length: 1_000 }, (_, at) => [3 + at, home])) }));
  closeSync(home);
});

inCell('ANY-4 a plan and decisions that bash hands by number are read, and reach no program', async () => {
  const repo = makeLooking();
  const plan = writePlan(repo, [{ id: 'a', script: 'sh look.sh >a.txt 2>&1', locks: ['a.txt'] }]);
  const decisions = writeDecisions(repo, { plan: ['approve'], changesets: ['approve'] });
  const shell = `exec 200<"${secretFolder()}"; "$@" --from <(cat ${plan}) --decisions-file=/dev/fd/90 90< <(cat ${decisions})`;
  const run = await programEnd(start(repo, ['run', 'Look', '--json'], { shell }));
  assert.is(run.code, 0, run.stdout + run.stderr);
  assert.not.match(readFileSync(join(repo.path, 'a.txt'), 'utf8'), /TOP-SECRET|\/fd\/(?:63|90|200) /);
});

const closings: readonly { readonly closed: string; readonly umask?: string }[] = [
  { closed: '<&-', umask: '0000' },
  { closed: '>&-', umask: '0777' },
  { closed: '2>&-' },
  { closed: '<&- >&- 2>&-' },
];

for (const { closed, umask } of closings) {
  let run: Promise<Seen> | undefined;
  // What is closed and what is masked have nothing to do with each other: one run shows both.
  const seenOnce = (): Promise<Seen> => {
    const masked = umask === undefined ? '' : `umask ${umask}; `;
    run ??= runWith({ shell: `exec 200<"${secretFolder()}"; ${masked}exec "$@" ${closed}` });
    return run;
  };
  inCell(`ANY-4 with ${closed} nothing takes the place of the stream that is missing`, async () => {
    assertUnseen(await seenOnce());
  });
  if (umask !== undefined)
    inCell(`ANY-4 a umask of ${umask} reaches no cell, no git and no script`, async () => {
      const seen = await seenOnce();
      assert.match(seen.worker, /^umask 0022$/m);
      assert.match(seen.setup, /^umask 0022$/m);
      for (const other of [seen.git, seen.script]) assert.not.match(other, new RegExp(`^(?:umask )?${umask}$`, 'm'));
    });
}

test.run();
