import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listStaleRuns, removeStaleRun } from '../../lib/cell/run/end-runs.ts';
import { makeTempDir } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { claudeFacts, openCellFixture, scriptAdapter } from './fixture.ts';

const inCell = testIf(test, hasBubblewrap(), 'bubblewrap cannot make a cell here');

for (const name of ['with blank', 'with:colon', 'with"quote', "with'apostrophe", 'back\\slash', 'ünï']) {
  inCell(`a repository called ${name} works`, async () => {
    const { sh, port, cell, repo } = await openCellFixture({ name });
    const run = await sh('echo new > new.txt && git add -A && git commit -qm new && git show --stat HEAD~1');
    assert.is(run.exitCode, 0, run.output);
    const head = await port.cellHead(cell);
    assert.throws(() => repo.git('cat-file', '-e', head));
    await port.acceptCell(cell, head);
    repo.git('cat-file', '-e', head);
  });
}

for (const name of ['back\\slash', 'star*[a]?']) {
  inCell(`HKS-2: in a repository called ${name} an agent's git asks before it commits`, async () => {
    const { runner, request } = await openCellFixture({ name });
    const prompt = 'echo x > secret.key; git add -A; git commit -qm "feat: x"; echo "commit $?"';
    const { text, audit } = await (await runner.start(request({ prompt }), () => undefined)).outcome;
    assert.match(text, /^commit 1$/m);
    assert.is(audit.blocked, 1);
  });
}

inCell('SBX-1: what runs in a cell can open its output by name, as in a terminal or behind a pipe', async () => {
  const { sh } = await openCellFixture();
  const run = await sh('echo one >/dev/stdout; echo two >/dev/stderr; echo three | tee /dev/stderr >/dev/null');
  assert.is(run.exitCode, 0, run.output);
  for (const word of ['one', 'two', 'three']) assert.match(run.output, new RegExp(`^${word}$`, 'm'));
});

for (const [who, adapter] of [
  ['a script', {}],
  ['a CLI of a model', { apis: claudeFacts.apis }],
] as const)
  inCell(
    `SBX-5 what is started in a cell writes into the output of a script, and of no CLI of a model: ${who}`,
    async () => {
      const { runner, request } = await openCellFixture({
        adapter,
        env: { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
      });
      const prompt = `sh -c 'echo forged >"/proc/$PPID/fd/1"' </dev/null 2>/dev/null >/dev/null; echo own`;
      const { text } = await (await runner.start(request({ prompt }), () => undefined)).outcome;
      assert.is(text, who === 'a script' ? 'forged\nown' : 'own');
    },
  );

inCell('the rustup home that a variable names is shown below a home too, another folder is not', async () => {
  const home = makeTempDir();
  for (const name of ['rust/toolchains/stable', 'rust/update-hashes', 'papers/toolchains/letters'])
    mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'rust/settings.toml'), '');
  const look = async (name: string): Promise<string> => {
    const { sh } = await openCellFixture({ env: { HOME: home, RUSTUP_HOME: join(home, name) } });
    return (await sh(`ls ${home}/rust/toolchains ${home}/papers/toolchains; echo "[$RUSTUP_HOME]"`)).output;
  };
  const shown = await look('rust');
  assert.match(shown, 'stable');
  assert.not.match(shown, 'letters');
  const other = await look('papers');
  assert.not.match(other, 'letters');
  assert.match(other, '[]');
});

inCell('SBX-5 no file that an agent left runs as its owner for who starts it', async () => {
  const { sh, cell } = await openCellFixture();
  const run = await sh(
    'mkdir -p a/b; cp /bin/cat a/b/one; cp /bin/cat two; chmod 6755 a/b/one; chmod 2700 two; ln -s two three; ls -l a/b/one',
  );
  assert.match(run.output, '-rwsr-sr-x', 'it could be set');
  const modes = ['a/b/one', 'two'].map((name) => statSync(join(cell.path, name)).mode & 0o7777);
  assert.equal(modes, [0o755, 0o700]);
});

inCell('a folder of the person that a cell does not show is not named in it', async () => {
  const { sh, repo } = await openCellFixture({ env: { PYENV_ROOT: '/root/.pyenv-of-nobody', TZ: 'UTC' } });
  const { output } = await sh('env');
  assert.not.match(output, 'PYENV_ROOT');
  assert.match(output, /^TZ=UTC$/m);
  assert.ok(repo.path);
});

inCell('where the repository is deep, sockets are elsewhere, work, and go away', async () => {
  const { runner, request, repo } = await openCellFixture({
    name: 'x'.repeat(120),
    adapter: claudeFacts,
    env: { ANTHROPIC_API_KEY: 'sk-made-up' },
  });
  const prompt = [
    'eval "$CANARY"; echo "canary $?"',
    `echo '{"tool_name":"Write","cwd":"/","tool_input":{"file_path":"/etc/x","content":""}}' > $TMPDIR/call`,
    'eval "$HOOK" < $TMPDIR/call; echo "hook $?"',
    'exec 3<>/dev/tcp/127.0.0.1/$(echo $BASE_URL | sed s/.*://)',
    'printf "GET /v2/no HTTP/1.0\\r\\n\\r\\n" >&3; head -1 <&3',
  ].join('\n');
  const agent = await runner.start(request({ prompt }), () => undefined);
  const { text, audit } = await agent.outcome;
  assert.match(text, /^canary 0\nhook 2\nHTTP\/1\.1 403/);
  assert.is(audit.blocked, 1);
  assert.equal(
    readdirSync(tmpdir()).filter((name) => name.startsWith('flame-sockets-')),
    [],
  );
  await runner.close();
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
});

inCell('SBX-1: a socket somebody listens on outside cannot be reached', async () => {
  const { repo, sh } = await openCellFixture();
  // Of the work tree, cells show dependencies.
  const path = join(repo.path, 'node_modules', 'service.sock');
  mkdirSync(dirname(path));
  const server = createServer((socket) => socket.end('reached'));
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const connect =
    'require("net").connect(process.argv[1], () => console.log("connected")).on("error", (e) => console.log(e.code))';
  const run = await sh(`node -e '${connect}' ${path}`);
  server.close();
  assert.match(run.output, /^(?:EACCES|ECONNREFUSED)\n$/);
});

inCell('another agent and its worktree cannot be seen', async () => {
  const { repo, port, cell, sh } = await openCellFixture();
  await port.addCellWorktree(join(`${repo.path}.trees`, 'worker-77777777'), cell.start);
  const run = await sh(`ls ${repo.path}.trees ${repo.path}/.git/blueflame/*; git log --all --oneline`);
  assert.not.match(run.output, /worker-77777777/);
  assert.match(run.output, /initial commit/);
});

inCell('an agent may take the permissions from its own folders', async () => {
  const { runner, request, repo } = await openCellFixture();
  const prompt = 'mkdir -p $HOME/a/b $TMPDIR/c && echo x > $HOME/a/b/x && chmod 000 $HOME/a/b $HOME/a $TMPDIR/c';
  await (await runner.start(request({ prompt }), () => undefined)).outcome;
  await runner.close();
  assert.equal(readdirSync(join(repo.path, '.git/blueflame/run')), []);
});

inCell('a command line longer than the system takes is a failure', async () => {
  const { runner, request } = await openCellFixture({
    adapter: {
      launch: (asked, paths) => {
        const launch = scriptAdapter.launch(asked, paths);
        return { ...launch, argv: [...launch.argv, 'x'.repeat(3_000_000)] };
      },
    },
  });
  const agent = await runner.start(request(), () => undefined);
  const { failure } = await agent.outcome;
  assert.is(failure?.kind, 'spawn-failed');
  assert.match(failure?.details[0] ?? '', /E2BIG/);
});

inCell("PLN-2: an interactive agent's answer is read from its transcript", async () => {
  const { runner, request } = await openCellFixture({
    adapter: {
      launch: (asked, paths) => ({ ...scriptAdapter.launch(asked, paths), transcript: 'talk/said.txt' }),
      readTranscript: (text) => ({ answer: { said: text }, text: 'from the transcript', tokens: 7 }),
    },
  });
  const prompt = 'mkdir $HOME/talk; printf "the plan" > $HOME/talk/said.txt';
  const agent = await runner.start(request({ prompt, isInteractive: true }), () => undefined);
  const { answer, text, tokens } = await agent.outcome;
  assert.equal({ answer, text, tokens }, { answer: { said: 'the plan' }, text: 'from the transcript', tokens: 7 });
});

inCell('stdin is empty, or what the adapter gives', async () => {
  const { runner, request } = await openCellFixture({
    adapter: {
      launch: (asked, paths) => ({ ...scriptAdapter.launch(asked, paths), stdin: 'x'.repeat(300_000) }),
    },
  });
  const given = await runner.start(request({ prompt: 'wc -c' }), () => undefined);
  assert.is((await given.outcome).text, '300000');
  const { sh } = await openCellFixture();
  assert.is((await sh('wc -c')).output, '0\n');
});

test('LIF-4: run folders whose maker is gone are found and removed, living ones are not', async () => {
  const { repo } = await openCellFixture();
  const common = join(repo.path, '.git');
  const make = (name: string, owner: string | null): string => {
    const folder = join(common, 'blueflame/run', name);
    mkdirSync(folder, { recursive: true });
    if (owner !== null) writeFileSync(join(folder, 'owner.json'), owner);
    return folder;
  };
  make('making', null);
  const stale = [
    make('stale-1', JSON.stringify({ pid: process.pid, start: '1' })),
    make('stale-2', 'junk'),
    make('stale-3', JSON.stringify({ pid: 4_194_304, start: null })),
  ];
  assert.equal(listStaleRuns(common, new Date()).sort(), stale);
  for (const folder of stale) removeStaleRun(folder);
  assert.equal(readdirSync(join(common, 'blueflame/run')), ['making']);
  assert.equal(listStaleRuns(join(repo.path, 'absent'), new Date()), []);
});

test.run();
