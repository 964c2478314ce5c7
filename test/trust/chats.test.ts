import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findStartingAgent, rememberConnectedChats } from '../../lib/trust/chat-processes.ts';
import { listAncestorsOfProcess, readProcess } from '../../lib/util/process-ancestors.ts';
import { ownIdentity, readProcessIdentity, readStat } from '../../lib/util/process-identity.ts';
import { cloneStateDir } from '../../lib/util/user-folders.ts';
import { makeTempDir } from '../support/repo.ts';
import { testIf } from '../support/skip.ts';
import { until } from '../support/until.ts';

type Clone = Parameters<typeof findStartingAgent>[0];

/** A clone that no chat was ever connected to. */
function makeClone(): Clone {
  return { commonDir: makeTempDir(), env: { XDG_STATE_HOME: makeTempDir() } };
}

const linux = testIf(test, process.platform === 'linux', 'needs /proc');

/** Starts a program that says the pid of what it leaves running, for the time of `work`. */
async function withLeft<T>(
  [program = '', ...words]: readonly string[],
  env: NodeJS.ProcessEnv,
  work: (left: { readonly pid: number; readonly starter: number }) => T,
): Promise<T> {
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const [said] = await once(child.stdout, 'data');
  const [pid, starter] = [Number(said), child.pid ?? 0];
  try {
    // It says so before it runs, and while it begins to run it has no environment.
    await until('it runs', () => readProcess(pid)?.words.join(' ') === 'sleep 100');
    return work({ pid, starter });
  } finally {
    for (const one of [-starter, pid]) end(one);
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** What such a process was started by. */
function around(clone: Clone, line: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string | null> {
  return withLeft(line, env, ({ pid }) => findStartingAgent({ ...clone, pid }));
}

const shell = ['-c', 'sleep 100 & echo $!; wait'];

test('QUE-1 the mark of an agent CLI suffices, without any chat that is connected', () => {
  const { commonDir, env } = makeClone();
  const marked = (name: string): string | null => findStartingAgent({ commonDir, env: { ...env, [name]: '1' } });
  for (const name of ['CLAUDECODE', 'CODEX_THREAD_ID', 'GEMINI_CLI', 'OPENCODE', 'COPILOT_CLI', 'AI_AGENT'])
    assert.is(marked(name), `an agent's shell (${name} is set)`);
  assert.is(marked('CLAUDE'), null);
});

linux('QUE-1 a mark that was taken off again still stands where a process was started', async () => {
  const clone = makeClone();
  const lines: readonly (readonly [script: string, mark: string])[] = [
    ['sleep 100 & echo $!; wait', 'CLAUDECODE'],
    ['env -i sh -c "sleep 100 & echo \\$!; wait"; true', 'OPENCODE'],
    ['unset COPILOT_CLI; sleep 100 & echo $!; wait', 'COPILOT_CLI'],
    ['script -qc "env -u CODEX_THREAD_ID sh -c \'echo \\$\\$; exec sleep 100\'" /dev/null; true', 'CODEX_THREAD_ID'],
    // Whose parents are gone.
    ['(setsid nohup sleep 100 2>/dev/null & echo $!)', 'GEMINI_CLI'],
  ];
  for (const [script, mark] of lines) {
    const found = await around(clone, ['/bin/sh', '-c', script], { [mark]: '1' });
    assert.is(found, `an agent's shell (${mark} is set)`, script);
  }
  assert.is(await around(clone, ['/bin/sh', ...shell]), null);
});

linux('QUE-1 of what lost its parents the session still says who began it', async () => {
  const [clone, folder] = [makeClone(), makeTempDir()];
  copyFileSync('/bin/sh', join(folder, 'kimi'));
  const twice = ['-c', '(env -i sh -c "sleep 100 & echo \\$!"); sleep 100; true'];
  assert.match((await around(clone, [join(folder, 'kimi'), ...twice])) ?? '', / \(kimi\)$/);
  assert.is(await around(clone, ['/bin/sh', ...twice]), null);
});

linux('QUE-1 an agent CLI among those that started a process suffices, by any name it has', async () => {
  const [clone, folder] = [makeClone(), makeTempDir()];
  const npm = join(folder, 'node_modules/@google/gemini-cli/bundle');
  const versions = join(folder, 'claude/versions');
  for (const one of [npm, versions]) mkdirSync(one, { recursive: true });
  const script = "console.log(require('node:child_process').spawn('sleep', ['100'], { stdio: 'ignore' }).pid)";
  for (const file of [join(npm, 'main.js'), join(folder, 'codex.js'), join(folder, 'codecs.js')])
    writeFileSync(file, script);
  for (const file of [join(versions, '2.1.332'), join(folder, 'opencode')]) copyFileSync('/bin/sh', file);
  const agents: readonly (readonly string[])[] = [
    [process.execPath, join(npm, 'main.js')],
    [process.execPath, '--max-old-space-size=100', join(folder, 'codex.js')],
    [process.execPath, '-r', 'node:fs', join(folder, 'codex.js'), 'exec'],
    [join(versions, '2.1.332'), ...shell],
    [join(folder, 'opencode'), ...shell],
    // By another name, and behind another program.
    ['/bin/bash', '-c', `exec -a tidy ${join(folder, 'opencode')} -c '${shell[1]}'`],
    ['/usr/bin/setsid', '--wait', join(folder, 'opencode'), ...shell],
  ];
  for (const line of agents) assert.match((await around(clone, line)) ?? '', /^process \d+ \(/, line.join(' '));
  const persons = [
    [process.execPath, join(folder, 'codecs.js')],
    ['/bin/sh', ...shell, 'codex', 'claude'],
  ];
  for (const line of persons) assert.is(await around(clone, line), null, line.join(' '));
});

linux('QUE-1 a chat that noted itself is known by who saw it, also once the note is gone', async () => {
  const clone = makeClone();
  const folder = join(cloneStateDir(clone.env, clone.commonDir), 'chats');
  mkdirSync(folder, { recursive: true });
  await withLeft(['/bin/sh', ...shell], {}, ({ pid, starter }) => {
    assert.is(findStartingAgent({ ...clone, pid }), null);
    const note = join(folder, 'a-chat');
    writeFileSync(note, JSON.stringify(readProcessIdentity(starter)));
    rememberConnectedChats(clone);
    writeFileSync(note, '');
    assert.match(findStartingAgent({ ...clone, pid }) ?? '', `process ${starter} (`);
    rmSync(folder, { recursive: true });
    assert.match(findStartingAgent({ ...clone, pid }) ?? '', `process ${starter} (`);
  });
});

const reapers: Record<string, number> = { x64: 157, arm64: 167 };
const prctl = reapers[process.arch];
const hasReapers = process.platform === 'linux' && prctl !== undefined && spawnSync('perl', ['-v']).status === 0;
testIf(
  test,
  hasReapers,
  'needs Linux and perl',
)('QUE-1 the service manager that takes in a server whose client died is no chat', async () => {
  const [clone, folder] = [makeClone(), makeTempDir()];
  copyFileSync('/bin/sh', join(folder, 'git-flame'));
  writeFileSync(join(folder, 'mcp'), 'sleep 100\n');
  const server = `cd ${folder}; ./git-flame mcp < /dev/null & echo $! > ${folder}/pid`;
  // As systemd does, it gets the orphans of all that it started.
  const manager = `syscall(${prctl}, 36, 1, 0, 0, 0); system('setsid', 'sh', '-c', '${server}'); exec 'sh', '-c', '${shell[1]}'`;
  await withLeft(['perl', '-e', manager], {}, ({ pid }) => {
    const orphan = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    try {
      assert.ok(listAncestorsOfProcess(pid).includes(readProcess(orphan)?.parent ?? 0));
      assert.is(findStartingAgent({ ...clone, pid }), null);
    } finally {
      end(-(readStat(orphan)?.session ?? orphan));
    }
  });
});

linux('what a chat left that is over is removed; pipes, links and folders are not waited for', () => {
  const clone = makeClone();
  const folder = join(cloneStateDir(clone.env, clone.commonDir), 'chats');
  mkdirSync(join(folder, 'folder'), { recursive: true });
  spawnSync('mkfifo', [join(folder, 'pipe')]);
  spawnSync('ln', ['-s', '/dev/zero', join(folder, 'link')]);
  writeFileSync(join(folder, 'before'), JSON.stringify({ ...ownIdentity(), boot: 'before' }));
  writeFileSync(join(folder, 'elsewhere'), JSON.stringify({ ...ownIdentity(), host: 'elsewhere' }));
  assert.is(findStartingAgent(clone), null);
  assert.equal(readdirSync(folder), ['elsewhere']);
});

test.run();
