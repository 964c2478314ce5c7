// Runs common commands in a repository made for it, so that what V8 compiles of them is kept beside the packs.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import v8 from 'node:v8';

// V8 takes back what it compiled under the same flags alone.
v8.setFlagsFromString = () => undefined;
const { openProgram } = createRequire(import.meta.url)('../dist/main.cjs');
const home = mkdtempSync(join(tmpdir(), 'flame-warm-'));
const cwd = join(home, 'repo');
const who = { NAME: 'Build', EMAIL: 'build@example.invalid' };
const persons = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
  Object.entries(who).map(([key, value]) => [`GIT_${role}_${key}`, value]),
);
const env = {
  PATH: process.env.PATH,
  HOME: home,
  XDG_STATE_HOME: join(home, 'state'),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  ...Object.fromEntries(persons),
};
const commands = [
  ['task', 'add', 'First', '--locks', 'src'],
  ['status'],
  ['log', '-n', '20'],
  ['show', 'task-001'],
  ['task', 'next'],
  ['task', 'claim', 'task-001'],
  ['status'],
  ['task', 'release', 'task-001'],
  ['task', 'show', 'task-001'],
];
// Racing processes have no time to compile; one that doesn't exist, for what refusals need.
const claims = ['task', 'claim', '--stdin'];
const claimed = ['task-002', 'task-003', 'none', 'task-002'];
try {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', cwd], { env });
  execFileSync('git', ['commit', '--quiet', '--allow-empty', '--message=Start'], { cwd, env });
  const { cli, keepCompiled } = await openProgram();
  for (const argv of commands) await run(cli, argv);
  for (const id of ['Second', 'Third']) await run(cli, ['task', 'add', id, '--locks', id]);
  await run(cli, claims, claimed);
  keepCompiled();
} finally {
  rmSync(home, { recursive: true, force: true });
}

async function run(cli, argv, lines = []) {
  let said = '';
  const stream = () =>
    new Writable({
      write: (chunk, _encoding, done) => {
        said += chunk;
        done();
      },
    });
  const never = new AbortController().signal;
  const io = {
    cwd,
    env,
    stdin: Readable.from(lines.map((line) => `${line}\n`)),
    stdout: stream(),
    stderr: stream(),
    signal: never,
    hurry: never,
  };
  const code = await cli.main(argv, io);
  if (code !== 0) throw new Error(`git flame ${argv.join(' ')} ended with ${code}:\n${said}`);
}
