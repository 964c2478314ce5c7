import { randomBytes } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { processesNaming } from './fixture.ts';
import { openStage } from './hostile-stage.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');
const mark = (): string => `flame-${randomBytes(6).toString('hex')}`;

inCell('SBX-4 daemons: whatever they leave behind to live on, they end with the agent', async () => {
  const { attack } = await openStage();
  const name = mark();
  const stay = `bash -c "exec -a ${name} sleep 300"`;
  const { said } = await attack(
    [
      `nohup ${stay} >/dev/null 2>&1 &`,
      `setsid ${stay} >/dev/null 2>&1 &`,
      `(setsid sh -c '(${stay} &) &' >/dev/null 2>&1 &)`,
      `env -i /usr/bin/setsid --fork /bin/${stay} >/dev/null 2>&1`,
      `setsid bash -c 'trap "" TERM HUP INT; while :; do exec -a ${name} sleep 300; done' >/dev/null 2>&1 &`,
      `perl -e 'fork && exit; use POSIX; POSIX::setsid(); fork && exit; chdir "/"; close $_ for *STDIN, *STDOUT, *STDERR; $0 = "${name}"; sleep 300'`,
      `unshare -Ur setsid ${stay} >/dev/null 2>&1 &`,
      `until [ $(grep -lsa '^${name}' /proc/*/cmdline | wc -l) -ge 6 ]; do sleep 0.02; done; echo all there`,
    ].join('\n'),
    { timeoutMs: 20_000 },
  );
  assert.match(said, /all there/);
  assert.equal(processesNaming(name), []);
});

inCell('SBX-4 an agent that kills and stops all it can see ends itself alone', async () => {
  const { attack } = await openStage();
  for (const line of [
    'kill -9 -1',
    'kill -STOP -1; kill -9 1',
    'for p in $(seq 1 300); do kill -9 $p 2>/dev/null; done',
  ]) {
    const { outcome } = await attack(line, { timeoutMs: 5_000 });
    assert.is.not(outcome.exitCode, undefined, line);
  }
  const { outcome } = await attack('kill -STOP $$', { timeoutMs: 1_000 });
  assert.equal((outcome.answer as { timedOut: boolean }).timedOut, true);
});

inCell('SBX-1 too much memory: in one process, in many, in files of memory', async () => {
  const { attack } = await openStage({ config: { sandbox: { max_memory_mb: 256 } } });
  const eight = await attack(`exec node -e 'const all = []; for (;;) all.push(Buffer.alloc(64e6, 1)); '`, {
    timeoutMs: 20_000,
  });
  assert.ok(eight.outcome.failure?.kind === 'limit' || eight.outcome.exitCode !== 0);
  const many = await attack(
    'for i in 1 2 3 4 5 6; do head -c 80000000 /dev/zero | tail -c 80000000 | sleep 8 & done; wait; echo survived',
    { timeoutMs: 20_000 },
  );
  assert.is(many.outcome.failure?.kind, 'limit', many.said);
  assert.match(many.outcome.failure?.message ?? '', /memory limit of 256 MB/);
  assert.not.match(many.said, /survived/);
});

inCell('SBX-1 10,000 processes, and a bomb of forks: stopped at the limit', async () => {
  const { attack } = await openStage({ config: { sandbox: { max_processes: 100 } } });
  for (const line of [
    'for i in $(seq 10000); do sleep 20 & done; wait',
    'bomb() { bomb | bomb & sleep 2; }; bomb; wait',
    `perl -e 'fork while 1'`,
  ]) {
    const { outcome, said } = await attack(line, { timeoutMs: 20_000 });
    // Where the kernel refuses by itself the agent hears of it, and may end by itself.
    const isHeard = outcome.failure === null && /fork/i.test(said);
    assert.ok(outcome.failure?.kind === 'limit' || isHeard, `${line}: ${JSON.stringify(outcome)}`);
  }
});

inCell('SBX-1 CPU time is that of all processes together, also of those that have ended', async () => {
  const { attack } = await openStage({ config: { sandbox: { max_cpu_seconds: 2 } } });
  const { outcome } = await attack('for i in 1 2 3 4; do while :; do :; done & done; wait; echo survived', {
    timeoutMs: 20_000,
  });
  assert.match(outcome.failure?.message ?? '', /CPU limit of 2 s/, JSON.stringify(outcome));
  const short = await attack('while :; do seq 100000 >/dev/null; done', { timeoutMs: 20_000 });
  assert.match(short.outcome.failure?.message ?? '', /CPU limit of 2 s/, JSON.stringify(short.outcome));
});

inCell('ADP-2 a flood on both streams is read to its end, and the agent is not held up', async () => {
  const { attack } = await openStage();
  const { outcome, said } = await attack(
    'yes out | head -c 30000000; yes err | head -c 30000000 >&2; printf "\\0\\033[31m\\377"; echo; echo end',
    { timeoutMs: 30_000 },
  );
  assert.is(outcome.failure, null);
  assert.match(said, /end\n/);
});

test.run();
