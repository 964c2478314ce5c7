import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Session } from '../../lib/domain/state/session-schema.ts';
import { machineName } from '../../lib/trust/clone-key.ts';
import {
  type BegunCommand,
  beginFlame,
  type ClaudeProject,
  closeProjects,
  type FlameCommand,
  openClaudeProject,
} from '../support/claude-project.ts';
import { writeDecisions, writePlan } from '../support/exec-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { taskOf } from '../support/model-roles.ts';
import { type ModelServer, type Reply, startModelServer } from '../support/model-server.ts';
import { openRepo, type TestRepo } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { trusted } from '../support/trusted.ts';
import { until } from '../support/until.ts';

// Two machines, each with a home and a model of its own, spend of one budget; one of them is killed and comes back.

const place = findClaude() === null ? 'none' : enterNetworkNamespace();
const limit = 1.2;
const share = 0.4;

/** Costs some cents, and leaves another turn to ask for. */
const costly: Reply = {
  ...{ tool: 'Bash', input: { command: 'ls', description: 'look' } },
  usage: { input_tokens: 9_900, output_tokens: 100 },
};

function work(task: string, turn: number): Reply {
  const path = `src/${task}.txt`;
  const command = `git add ${path} && git commit -m "${task}"`;
  const steps: readonly Reply[] = [
    costly,
    { tool: 'Write', input: { file_path: path, content: `${task}\n` } },
    { tool: 'Bash', input: { command, description: 'commit' } },
  ];
  return steps[turn - 1] ?? { text: 'It is committed.' };
}

interface Helper {
  readonly repo: TestRepo;
  readonly model: ModelServer;
  begin(...argv: string[]): BegunCommand;
}

const models: ModelServer[] = [];

/** A clone of what the lead has pushed, on a machine whose agents ask another model. */
async function cloneFor(
  { repo, root, env }: ClaudeProject,
  remote: string,
  script: Parameters<typeof startModelServer>[0]['script'],
): Promise<Helper> {
  const model = await startModelServer({ script });
  models.push(model);
  const path = join(root, 'helper');
  repo.git('clone', '-q', '-b', 'main', remote, path);
  const [home, tmp, state] = ['helper-home', 'helper-tmp', 'helper-state'].map((name) => join(root, name));
  if (home === undefined || tmp === undefined || state === undefined) throw new Error('three folders');
  for (const folder of [home, tmp, state]) mkdirSync(folder);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ben\n\temail = ben@example.com\n');
  const own = {
    ...env,
    ...{ HOME: home, TMPDIR: tmp, XDG_STATE_HOME: state, ANTHROPIC_BASE_URL: model.url ?? '' },
  };
  const helper = openRepo(path, own);
  trusted({ path, env: own });
  return {
    ...{ repo: helper, model },
    begin: (...argv) => beginFlame(argv, { cwd: path, env: own, detached: true }),
  };
}

/** Every version of the session's note at the remote, oldest first. */
function versionsOf(remote: TestRepo, session: string): readonly Session[] {
  const key = remote.git('rev-parse', `refs/blueflame/sessions:anchors/${session}`);
  const note = `${key.slice(0, 2)}/${key.slice(2)}`;
  const commits = remote.git('rev-list', '--reverse', '--first-parent', 'refs/blueflame/sessions', '--', note);
  return commits.split('\n').map((commit) => JSON.parse(remote.git('show', `${commit}:${note}`)));
}

const aside = ({ reservations = [] }: Session): number => reservations.reduce((sum, { cost_usd }) => sum + cost_usd, 0);

function lastLine({ lines }: FlameCommand): Readonly<Record<string, unknown>> {
  return lines.at(-1) ?? {};
}

if (place !== 'outside') {
  const live = testIf(test, place === 'inside', 'machines-budget: needs Claude Code and a network namespace');
  test.after(async () => {
    await closeProjects();
    for (const model of models) await model.close();
  });

  live(
    'BUD-2 DST-1 two machines spend of one budget: booked before it is spent, never passed, and free again once a killed one is back',
    async () => {
      let letGo = (): void => undefined;
      const isBack = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      const lead = await openClaudeProject({
        config: {
          roles: { validator: { adapter: 'none' } },
          concurrency: { development: 1, adaptive: false },
          machines: { lease: '6s', renew: '1s' },
          limits: { max_session_cost_usd: limit, token_budget: { worker_usd: share } },
        },
        // The last task of the lead ends once the other machine is back.
        script: async (request) => {
          const task = taskOf(request) ?? '';
          if (task === 'task-001' && request.turn > 3) await isBack;
          return work(task, request.turn);
        },
      });
      const path = join(dirname(lead.repo.path), 'remote.git');
      lead.repo.git('init', '-q', '--bare', '-b', 'main', path);
      lead.repo.git('remote', 'add', 'origin', path);
      lead.repo.git('push', '-q', 'origin', 'main');
      const remote = openRepo(path);
      let isHanging = true;
      const helper = await cloneFor(lead, path, (request) =>
        request.turn > 1 && isHanging ? { hang: true } : work(taskOf(request) ?? '', request.turn),
      );
      const plan = writePlan(
        lead.repo,
        [1, 2].map((number) => ({
          ...{ id: `task-00${number}`, script: 'Write it.', locks: [`src/task-00${number}.txt`] },
          priority: number,
        })),
      );
      const decisions = ['--decisions-file', writeDecisions(lead.repo, decided)];
      const running = lead.begin('run', 'Two', '--remote', 'origin', '--from', plan, ...decisions);
      const status = async (): Promise<Readonly<Record<string, unknown>>> => lastLine(await lead.flame('status'));
      type Shown = { readonly id: string; readonly plan_digest?: string };
      const planned = async (): Promise<Shown | null> => ((await status()).session as Shown | null) ?? null;
      await until('there is a plan', async () => (await planned())?.plan_digest !== undefined);
      const { id: session, plan_digest: digest = '' } = (await planned()) ?? { id: '' };
      const now = (): Session => versionsOf(remote, session).at(-1) as Session;
      const joining = ['work', '--join', 'origin', '--plan', digest];
      const killed = helper.begin(...joining);
      let ended: FlameCommand | null = null;
      void killed.ended.then((end) => {
        ended = end;
      });
      await until(
        'its agent has spent something and asks for more, or it ended',
        () => ended !== null || helper.model.requests.length >= 2,
      );
      assert.is(ended, null, JSON.stringify(ended));
      const name = machineName({ env: helper.repo.env, commonDir: join(helper.repo.path, '.git') });
      const held = now().reservations?.filter(({ machine }) => machine === name) ?? [];
      assert.equal(
        held.map(({ cost_usd, presumed }) => [cost_usd, presumed]),
        [[share, undefined]],
      );
      killed.signal('SIGKILL');
      await killed.ended;
      await until('it is given up', () => now().reservations?.some(({ presumed }) => presumed === true) === true);
      const seen = (await status()).session as {
        readonly presumed_spent?: { readonly cost_usd: number; readonly machines: readonly string[] };
      };
      assert.equal([seen.presumed_spent?.cost_usd, seen.presumed_spent?.machines], [share, [name]]);
      isHanging = false;
      const back = helper.begin(...joining);
      await until('what it had set aside is settled', () => {
        const { reservations = [], agents } = now();
        return (
          !reservations.some(({ agent }) => agent === held[0]?.agent) &&
          agents.some(({ id, cost_usd }) => id === held[0]?.agent && cost_usd > 0)
        );
      });
      letGo();
      const [led, helped] = [await running.ended, await back.ended];
      assert.equal([led.code, helped.code], [0, 0], `${led.stderr}\n${helped.stderr}`);
      requireHeld(versionsOf(remote, session), [name, now().machines?.lead ?? '']);
    },
  );
}

const decided = { plan: ['approve'], changesets: ['approve'], session: ['stop'] };

/** Never more than the limit, nothing spent that was not set aside before, nothing left over in the end. */
function requireHeld(versions: readonly Session[], machines: readonly string[]): void {
  const most = Math.max(...versions.map((one) => one.cost_usd + aside(one)));
  assert.ok(most <= limit + 1e-9, `${most} of ${limit} were spent and set aside at once`);
  const last = versions.at(-1);
  assert.ok(last !== undefined && last.state === 'ended');
  assert.is(last.reservations, undefined);
  for (const { id, cost_usd } of last.agents) {
    const first = versions.findIndex(({ reservations = [] }) => reservations.some(({ agent }) => agent === id));
    const booked = versions.findIndex(({ agents }) => agents.some((one) => one.id === id));
    assert.ok(cost_usd > 0 && first >= 0 && first < booked, `${id} spent ${cost_usd} of what it had set aside`);
  }
  assert.equal(Object.keys(last.spent_on ?? {}).sort(), [...machines].sort());
  const spent = Object.values(last.spent_on ?? {}).reduce((sum, one) => sum + one.cost_usd, 0);
  assert.ok(Math.abs(spent - last.cost_usd) < 1e-9, `${spent} on machines, ${last.cost_usd} in all`);
}

if (place !== 'outside') test.run();
