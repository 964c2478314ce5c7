import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExecProject, writeDecisions, writePlan } from '../support/exec-project.ts';
import { flame } from '../support/flame.ts';
import { programFolder } from '../support/program.ts';
import { makeTempDir, type TestRepo } from '../support/repo.ts';
import { hasPseudoTerminal, openScreen, type Screen } from '../support/screen.ts';
import { testIf } from '../support/skip.ts';

const gitCompletion = '/usr/share/bash-completion/completions/git';
const loader = '/usr/share/bash-completion/bash_completion';
const hasTerminal = hasPseudoTerminal();
const isThere = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** How each shell is made to read the script at its start, as its comment says; {HOME} is a folder of its own. */
const shells = [
  {
    name: 'bash',
    isReady: isThere('bash') && existsSync(gitCompletion) && existsSync(loader),
    missing: 'bash-completion',
    start: 'bash --rcfile "$HOME/.bashrc" -i',
    file: '.bashrc',
    text: `PS1='READY> '; bind 'set show-all-if-ambiguous on'; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'\nsource ${loader}\nsource <(git flame completion bash)\n`,
  },
  {
    name: 'zsh',
    isReady: isThere('zsh'),
    missing: 'zsh',
    start: 'zsh -i',
    file: '.zshrc',
    text: `PS1='READY> '; unsetopt beep list_ambiguous; unset zle_bracketed_paste\nautoload -U compinit; compinit -u -D\nsource <(git flame completion zsh)\n`,
  },
  {
    name: 'fish',
    isReady: isThere('fish'),
    missing: 'fish',
    start: 'fish',
    file: '.config/fish/config.fish',
    text: `function fish_prompt; echo -n 'READY> '; end\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\ngit flame completion fish | source\n`,
  },
] as const;

test('completion of names: what there is in the repository, with what it is', async () => {
  const repo = await makeSession();
  const session = repo.git('ls-tree', '--name-only', 'refs/blueflame/sessions', 'anchors/').split('/').at(-1);
  const ask = async (...line: readonly string[]): Promise<string> =>
    (await flame(repo, ['__complete', '--', ...line])).stdout;
  assert.is(
    await ask('show', ''),
    `task-001\tpending: First thing\ntask-002\tpending: Do task-002\n${session}\tBuild it\n`,
  );
  assert.is(await ask('show', 'task-002'), 'task-002\tpending: Do task-002\n');
  assert.is(await ask('status', '--session', ''), `${session}\tBuild it\n`);
  assert.is(await ask('show', '--session=ses-'), `--session=${session}\tBuild it\n`);
  assert.is(await ask('init', '--base', ''), 'main\t\n');
  assert.is(await ask('plan', '--from', ''), ':files\n');
});

test('completion says nothing where there is nothing to say: no repository, no line, broken state', async () => {
  const repo = await makeSession();
  const elsewhere = makeTempDir();
  for (const line of [
    ['show', ''],
    ['status', '--session', ''],
    ['-C', '/nowhere', 'show', ''],
  ]) {
    const { code, stdout, stderr } = await flame(repo, ['__complete', '--', ...line], { cwd: elsewhere });
    assert.equal([code, stdout, stderr], [0, '', ''], line.join(' '));
  }
  repo.git('update-ref', 'refs/blueflame/tasks', repo.git('rev-parse', 'HEAD'));
  const { code, stderr } = await flame(repo, ['__complete', '--', 'show', '']);
  assert.equal([code, stderr], [0, '']);
  assert.is((await flame(repo, ['__complete'])).code, 0);
});

for (const shell of shells) {
  const testShell = testIf(
    test,
    shell.isReady && hasTerminal,
    `${shell.missing} or script is missing: no TAB in ${shell.name}`,
  );

  testShell(`CLI-1: TAB in ${shell.name} completes git flame as it does git`, async () => {
    const repo = await makeSession();
    const screen = await openShell(shell, repo);
    const line = async (keys: string, until: RegExp): Promise<void> => {
      await screen.type(keys, until);
      await screen.type('\u0015\u000b', /^/);
    };
    await line('git fla\trev\t--changes\t', /git flame\s+review\s+--changeset\s/);
    await line('git flame completion z\t', /completion zsh\s/);
    await line('git-flame val\t--dry\t', /git-flame validate\s+--dry-run\s/);
    await line('git flame show \t', /task-00[12][\s\S]*task-00[12]/);
    await line('git flame show task-002\t--di\t', /task-002\s+--diff\s/);
    await line(`git -C ${join(repo.path, 'src')} flame --session=\t`, /--session=ses-\d{8}-/);
    await line('git flame plan --from src/\t', /src\/a\.txt/);
    assert.is(await screen.end('exit\r'), 0, screen.text());
  });
}

/** A session with a plan of two tasks. */
async function makeSession(): Promise<TestRepo> {
  const repo = makeExecProject();
  const plan = writePlan(repo, [
    { id: 'task-001', title: 'First thing', script: 'true', locks: ['a.txt'], group: 'auth' },
    { id: 'task-002', script: 'true', locks: ['b.txt'], group: 'api' },
  ]);
  const decisions = writeDecisions(repo, { plan: ['approve'] });
  const planned = await flame(repo, ['plan', 'Build it', '--from', plan, '--decisions-file', decisions]);
  assert.is(planned.code, 0, planned.stderr);
  return repo;
}

async function openShell(shell: (typeof shells)[number], repo: TestRepo): Promise<Screen> {
  const home = makeTempDir();
  mkdirSync(join(home, '.config', 'fish'), { recursive: true });
  writeFileSync(join(home, shell.file), shell.text);
  const screen = openScreen(shell.start, {
    cwd: repo.path,
    env: { ...repo.env, HOME: home, ZDOTDIR: home, PATH: `${programFolder}:${repo.env.PATH ?? ''}` },
  });
  await screen.type('', /READY> /);
  return screen;
}

test.run();
