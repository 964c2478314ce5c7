import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type ClaudeProject,
  closeProjects,
  openClaudeProject,
  processesAbout,
  tasksOf,
} from '../support/claude-project.ts';
import { enterNetworkNamespace, findClaude } from '../support/model-namespace.ts';
import { testIf } from '../support/skip.ts';

// A person talks with the planner at a terminal, leaves, and answers the gate: `git flame plan` at a real
// pseudo-terminal, with the real client in its cell.

const hasScript = spawnSync('script', ['-qec', 'true', '/dev/null'], { input: '' }).status === 0;
const place = findClaude() === null || !hasScript ? 'none' : enterNetworkNamespace();
const plan = {
  tasks: [
    {
      id: 'task-001',
      title: 'Make it short',
      description: 'Write src/new.txt.',
      priority: 1,
      file_locks: ['src/new.txt'],
    },
  ],
};

interface Turn {
  /** What must be on the screen, since the turn before. */
  readonly after: RegExp;
  /** What must be in the transcript as well: words are shown before they are kept. */
  readonly kept?: string;
  /** Typed one after another; the last one again until the next turn comes. */
  readonly keys: readonly string[];
}

if (place !== 'outside') {
  const reason = 'claude-interactive: needs Claude Code, a network namespace and script of util-linux';
  const live = testIf(test, place === 'inside', reason);
  test.after(closeProjects);

  live('PLN-2: a plan is talked over, read from the transcript and approved at the gate', async () => {
    const project = await openClaudeProject({
      script: ({ turn, lastText }) => {
        if (turn === 1) return { tool: 'Bash', input: { command: 'touch src/new.txt', description: 'begin already' } };
        return lastText.includes('make it shorter')
          ? { text: `\`\`\`json\n${JSON.stringify(plan)}\n\`\`\`\nAGREED` }
          : { text: 'How long may it be? QUESTION' };
      },
    });
    const { code, screen } = await atTerminal(
      project,
      ['plan', 'Make something'],
      [
        { after: /QUESTION/, kept: 'QUESTION', keys: ['make it shorter', '\r'] },
        { after: /AGREED/, kept: 'AGREED', keys: ['/exit', '\r'] },
        { after: /\(q\)uit\? /, keys: ['a', '\r'] },
      ],
    );
    assert.is(code, 0, screen);
    const status = await project.flame('status');
    assert.equal(
      tasksOf(status).map(({ title, status: state }) => `${title}: ${state}`),
      ['Make it short: pending'],
    );
    const { requests } = project.model;
    assert.is(requests.length, 3);
    assert.match(requests[0]?.system ?? '', 'talking with the project lead');
    assert.match(requests[0]?.prompt ?? '', 'Make something');
    assert.match(requests[1]?.toolResults[0]?.text ?? '', '[bash-not-allowed]');
    assert.match(JSON.stringify(status.lines[0]?.session), '"tokens":330');
    assertNothingLeft(project);
  });

  live('leaving without a plan waits for the person, and says how to go on', async () => {
    const project = await openClaudeProject({ script: () => ({ text: 'No idea. QUESTION' }) });
    const { code, screen } = await atTerminal(
      project,
      ['plan', 'Make something'],
      [{ after: /QUESTION/, kept: 'QUESTION', keys: ['/exit', '\r'] }],
    );
    assert.is(code, 2, screen);
    assert.match(screen, /ended without a plan/);
    assert.match(screen, /git flame plan --no-interactive/);
    assertNothingLeft(project);
  });
}

test.run();

async function atTerminal(
  { repo, env }: ClaudeProject,
  argv: readonly string[],
  turns: readonly Turn[],
): Promise<{ readonly code: number | null; readonly screen: string }> {
  const line = ['git', 'flame', ...argv].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qfec', `stty cols 120 rows 40; exec ${line}`, '/dev/null'], {
    cwd: repo.path,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
  });
  let [screen, seen, turn, typed] = ['', 0, -1, 0];
  const look = (): void => {
    const next = turns[turn + 1];
    const isNext = next?.after.test(screen.slice(seen)) && isKept(repo.path, next.kept);
    if (isNext) [seen, turn, typed] = [screen.length, turn + 1, 0];
    const keys = turns[turn]?.keys ?? [];
    child.stdin.write(keys[typed] ?? keys.at(-1) ?? '');
    typed += 1;
  };
  child.stdin.on('error', () => undefined);
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    screen += chunk;
  });
  // A key is only taken when the client is ready for it, and keys that come together are taken for pasted text.
  const hands = setInterval(look, 300);
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  clearInterval(hands);
  return { code, screen };
}

function isKept(repository: string, text?: string): boolean {
  if (text === undefined) return true;
  const cells = join(repository, '.git/blueflame');
  try {
    return readdirSync(cells, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.jsonl') && path.includes('.claude/projects'))
      .some((path) => readFileSync(join(cells, path), 'utf8').includes(text));
  } catch {
    // A lock of the client has gone while it was looked at: the next look tells.
    return false;
  }
}

function assertNothingLeft({ repo, root }: ClaudeProject): void {
  assert.equal(processesAbout(root), []);
  assert.equal(readdirSync(join(root, 'tmp')), []);
  assert.equal(readdirSync(join(root, 'home')), ['.gitconfig']);
  assert.not(existsSync(join(repo.path, 'src/new.txt')));
  assert.is(existsSync(`${repo.path}.trees`), false);
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
}
