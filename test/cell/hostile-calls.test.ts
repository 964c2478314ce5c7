import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { claudeFacts } from './fixture.ts';
import { openStage } from './hostile-stage.ts';

// Calls of the kernel that one process of a cell could take over another with, from within a real cell.

const isKnown = process.arch === 'x64' || process.arch === 'arm64';
const inCell = testIf(test, hasBubblewrap() && isKnown, 'bubblewrap cannot make a cell here');
const withCompiler = testIf(
  test,
  hasBubblewrap() && process.arch === 'x64' && spawnSync('cc', ['--version']).status === 0,
  'needs bubblewrap, a compiler and an x64 machine',
);

/** The numbers of what no agent may call: for each its name. */
const numbers: Readonly<Record<string, number>> =
  process.arch === 'arm64'
    ? {
        ...{ ptrace: 117, process_vm_readv: 270, process_vm_writev: 271, kcmp: 272 },
        ...{ perf_event_open: 241, bpf: 280, userfaultfd: 282, pidfd_getfd: 438, process_madvise: 440 },
        ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 },
      }
    : {
        ...{ ptrace: 101, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312 },
        ...{ perf_event_open: 298, bpf: 321, userfaultfd: 323, pidfd_getfd: 438, process_madvise: 440 },
        ...{ io_uring_setup: 425, io_uring_enter: 426, io_uring_register: 427 },
      };

/** A script that prints for each number the error it ends with, in one line. */
function tryAll(calls: readonly number[]): string {
  return `perl -e 'for (${calls.join(', ')}) { $! = 0; syscall($_, 0, 0, 0, 0, 0, 0); print 0 + $!, " " }'`;
}

inCell('SBX-2 an agent cannot call what takes over processes or is known for holes', async () => {
  const { attack } = await openStage();
  const { said } = await attack(tryAll(Object.values(numbers)));
  assert.is(said.trim(), Object.keys(numbers).fill('1').join(' '));
});

inCell('SBX-2 the calls of x32 are none', async () => {
  if (process.arch !== 'x64') return;
  const { attack } = await openStage();
  // getpid, ptrace, ioctl, keyctl, and process_vm_writev under the number of its own.
  const { said } = await attack(tryAll([39, 521, 514, 250, 540].map((number) => 0x40000000 + number)));
  assert.is(said.trim(), '38 38 38 38 38');
});

withCompiler('SBX-2 the way of 32-bit programs into the kernel is no way round', async () => {
  const { attack } = await openStage();
  const calls = [26, 347, 348, 349, 336, 357, 374, 425, 426, 427, 438, 440];
  const source = [
    '#include <stdio.h>',
    'int main(void) {',
    `  const int calls[] = {${calls.join(', ')}, 288, 20};`,
    '  for (unsigned at = 0; at < sizeof calls / sizeof *calls; at++) {',
    '    long got = calls[at];',
    '    __asm__ volatile("int $0x80" : "+a"(got) : "b"(0), "c"(0), "d"(0), "S"(0), "D"(0) : "memory");',
    '    printf("%ld ", got > 0 ? 0 : got);',
    '  }',
    '}',
  ].join('\n');
  const { said } = await attack(`cat > /tmp/a.c <<'END'\n${source}\nEND\ncc -o /tmp/a /tmp/a.c && /tmp/a`);
  // Where the kernel has no such way, the program is killed at the first.
  if (said.trim() === '' || /^\S+: line \d+: +\d+ Segmentation fault/.test(said.trim())) return;
  assert.is(said.trim(), `${calls.map(() => '-1').join(' ')} -38 0`);
});

inCell("SBX-2 what an agent runs cannot write to the agent's output by its files", async () => {
  // What a script prints counts for nothing; what the CLI of a model prints is read as its model's words.
  const { attack } = await openStage({
    adapter: { apis: claudeFacts.apis },
    env: { ANTHROPIC_API_KEY: 'sk-made-up', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
  });
  const { said } = await attack(
    [
      // The agent; its child has another output, as a command of a tool has.
      `cat > /tmp/forge.pl <<'END'`,
      'for my $pid (1, getppid) {',
      '  for my $fd (0 .. 9) { if (open my $out, ">>", "/proc/$pid/fd/$fd") { syswrite $out, "FORGED\\n" if !-f $out && !-c $out } }',
      '  my $handle = syscall(434, $pid, 0);',
      `  for my $fd (0 .. 9) { my $copy = syscall(${numbers.pidfd_getfd}, $handle, $fd, 0); if ($copy >= 0) { open my $out, ">&=", $copy; syswrite $out, "FORGED\\n" } }`,
      '}',
      'print "tried\\n";',
      'END',
      'perl /tmp/forge.pl > /tmp/said 2>/dev/null < /dev/null; cat /tmp/said',
    ].join('\n'),
  );
  assert.is(said.trim(), 'tried');
});

inCell('diagnostics may trace what they run: there is no agent among it', async () => {
  const { fixture } = await openStage();
  const cell = await fixture.port.addScratchWorktree(join(`${fixture.repo.path}.trees`, 'check-1'), fixture.cell.start);
  const run = await fixture.runner.runCommand({
    phase: 'diagnostics',
    command: tryAll([
      numbers.ptrace ?? 0,
      numbers.process_vm_readv ?? 0,
      numbers.bpf ?? 0,
      numbers.io_uring_setup ?? 0,
    ]),
    ...{ worktree: cell, timeoutMs: 60_000, label: 'check' },
  });
  const errors = run.output.trim().split(' ');
  assert.is(errors[0], '0', run.output);
  assert.is.not(errors[1], '1');
  assert.equal(errors.slice(2), ['1', '1']);
});

inCell('SBX-6 usual toolchains work under the filter', async () => {
  const { attack } = await openStage();
  const { said } = await attack(
    [
      // Reading files is what libuv would use rings for.
      `UV_USE_IO_URING=1 node -e 'require("node:fs").readFile("README.md", (e, t) => console.log(e ? e.code : "node " + (t.length > 0)))'`,
      `python3 -c 'import asyncio, multiprocessing as m; print("python", asyncio.run(asyncio.sleep(0, 1)), m.Pool(2).map(abs, [-1]))' || echo no python`,
      `perl -e 'print "perl\\n"'`,
      'git status --short && echo git',
    ].join('\n'),
  );
  assert.match(said, /node true/);
  assert.match(said, /python 1 \[1\]|no python/);
  assert.match(said, /perl\ngit/);
});

test.run();
