import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AgentRequest, FinalCheckMessage } from '../../../lib/domain/ports/agent-port.ts';
import type { RunContext } from '../../../lib/engine/run-context.ts';
import { runWorkWave } from '../../../lib/engine/work/work-wave.ts';
import { closeWorkshops, openTestWorkshop, type TestWorkshop } from '../../support/workshop.ts';

test.after(closeWorkshops);

interface Job {
  readonly config?: Readonly<Record<string, unknown>>;
  readonly adapter?: string;
  readonly locks?: readonly string[];
  /** What happens while a check runs; `over` ends the agent. */
  readonly during?: (over: AbortController) => void;
  /** What it has done when it means to end, and its last words. */
  readonly work: (write: (path: string, text: string) => void, bench: TestWorkshop, request: AgentRequest) => string;
}

interface Heard {
  readonly bench: TestWorkshop;
  /** undefined: it was not held. */
  readonly told: FinalCheckMessage | null | undefined;
  /** Whether each check was ended. */
  readonly stopped: readonly boolean[];
}

/** One agent that asks as it means to end, and then ends. */
async function hear({
  config = {},
  adapter,
  locks = ['src/n.txt'],
  work,
  during = () => undefined,
}: Job): Promise<Heard> {
  const bench = await openTestWorkshop({
    tasks: [
      {
        ...{ id: 'a', title: 'Do a', description: '.', file_locks: locks },
        ...(adapter === undefined ? {} : { adapter }),
      },
    ],
    config: { limits: { max_retries: 0 }, ...config },
    agent: () => ({}),
  });
  let told: FinalCheckMessage | null | undefined;
  const over = new AbortController();
  const stopped: boolean[] = [];
  const { start } = bench.context.agents;
  const agents: RunContext['agents'] = {
    ...bench.context.agents,
    start: async (...words) => {
      const [request] = words;
      const running = await start(...words);
      const outcome = (async () => {
        const write = (path: string, text: string): void => {
          const file = join(request.worktree.path, path);
          mkdirSync(dirname(file), { recursive: true });
          writeFileSync(file, text);
        };
        const said = work(write, bench, request);
        told = await request.finalCheck?.(said, over.signal);
        return running.outcome;
      })();
      return { ...running, outcome };
    },
    runCommand: async ({ worktree, signal }) => {
      const file = join(worktree.path, 'src/n.txt');
      const isBad = existsSync(file) && readFileSync(file, 'utf8').includes('bad');
      if (isBad) {
        during(over);
        stopped.push(signal?.aborted === true);
      }
      return { exitCode: isBad ? 1 : 0, timedOut: false, duration_ms: 0, output: isBad ? 'it is bad\n' : '' };
    },
  };
  await runWorkWave({ ...bench.context, agents }, bench.session);
  return { bench, told, stopped };
}

const checks = { validation: { validator_diagnostics: { commands: ['check'] } } };

test('RND-5 what is not committed yet is judged as it will be: out of scope is left behind, a tracked file is refused', async () => {
  const left = await hear({
    work: (write) => {
      write('src/n.txt', 'fine\n');
      write('beside.txt', 'left behind\n');
      return 'Done.';
    },
  });
  assert.is(left.told, null);
  const refused = await hear({
    work: (write) => {
      write('src/n.txt', 'fine\n');
      write('README.md', 'not its own\n');
      return 'Done.';
    },
  });
  assert.match(refused.told?.about[0] ?? '', /^\[path-out-of-scope\] README\.md/);
});

test('a link that leads out of its paths is not committed for an agent, and that is said', async () => {
  const { bench, told } = await hear({
    locks: ['src/'],
    work: (write, _bench, { worktree }) => {
      write('src/n.txt', 'fine\n');
      symlinkSync('n.txt', join(worktree.path, 'src/near'));
      symlinkSync('../README.md', join(worktree.path, 'src/away'));
      symlinkSync('/etc/passwd', join(worktree.path, 'src/far'));
      return 'Done.';
    },
  });
  assert.is(told, null, 'what is not taken in is nothing to object to');
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session);
  if (task?.status !== 'done') throw new Error(JSON.stringify(task));
  const files = bench.repo.git('ls-tree', '-r', '--name-only', task.commit, 'src/').split('\n');
  assert.equal(files, ['src/a.txt', 'src/n.txt', 'src/near']);
  assert.match(
    task.result?.notes ?? '',
    'Left behind, out of scope: src/away (a link to ../README.md), src/far (a link to /etc/passwd)',
  );
});

test('RND-5 a failing diagnostic is told with the end of its output, and nothing of that is left over', async () => {
  const { bench, told } = await hear({
    config: checks,
    work: (write) => {
      write('src/n.txt', 'bad\n');
      return 'Done.';
    },
  });
  assert.equal(told?.about, ['check ended with 1']);
  assert.match(told?.message ?? '', /check ended with 1:\nit is bad/);
  assert.equal(await bench.context.git.cells(), [], 'its worktree and the one of the check are gone');
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session);
  assert.is(task?.status, 'done', 'it ended, and what it left is judged like any work');
});

test('RND-5 who did nothing is told so, but for one that says why', async () => {
  const silent = await hear({ work: () => 'All good.' });
  assert.equal(silent.told?.about, ['You have changed nothing inside your paths.']);
  const reasoned = await hear({ work: () => 'NOT DONE: the file it is about does not exist.' });
  assert.is(reasoned.told, null);
});

test('RND-5 an agent that is over while its checks run is told nothing, and they end with it', async () => {
  const { told, bench, stopped } = await hear({
    config: checks,
    during: (over) => over.abort(),
    work: (write) => {
      write('src/n.txt', 'bad\n');
      return 'Done.';
    },
  });
  assert.is(told, null);
  assert.equal(stopped, [true]);
  assert.equal(
    bench.events.filter(({ event }) => event === 'last-word'),
    [],
  );
  assert.equal(await bench.context.git.cells(), [], 'the worktree of the check is gone');
});

test('RND-5 what can not be judged lets it end', async () => {
  const { told, bench } = await hear({
    work: (_, { repo }, request) => {
      repo.write('.git/x', '');
      writeFileSync(join(request.worktree.quarantine.worktreeGitDir, 'HEAD'), 'nonsense\n');
      return 'Done.';
    },
  });
  assert.is(told, null);
  const [task] = (await bench.said.snapshot()).tasksOf(bench.session);
  assert.is(task?.status, 'failed');
});

test('RND-5 an agent whose CLI asks nobody at its end is not held, nor one where that is switched off', async () => {
  const work: Job['work'] = (write) => {
    write('src/n.txt', 'bad\n');
    return 'Done.';
  };
  assert.is((await hear({ config: checks, adapter: 'exec', work })).told, undefined);
  const off = { validation: { ...checks.validation, last_word: false } };
  assert.is((await hear({ config: off, work })).told, undefined);
});

test.run();
