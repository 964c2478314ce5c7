import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { demoConfig } from '../../../lib/commands/demo/demo-repository.ts';
import { parseConfig } from '../../../lib/config/load-config.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { readFilesOfCommand } from '../../../lib/trust/repository/files-of-command.ts';
import { type RepositoryContent, readRepositoryContent } from '../../../lib/trust/repository/repository-content.ts';
import { guardRepository } from '../../../lib/trust/repository/repository-guard.ts';
import { makeTempDir } from '../../support/repo.ts';

interface Place {
  readonly root: string;
  readonly home: string;
  write(path: string, text?: string): string;
  read(config: string): RepositoryContent;
}

function makePlace(): Place {
  const home = makeTempDir();
  const root = join(home, 'work', 'repo');
  mkdirSync(join(root, '.git'), { recursive: true });
  const write = (path: string, text = 'x\n'): string => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  const read = (config: string): RepositoryContent => {
    const file = write('.blueflame.yml', config);
    return readRepositoryContent(
      { ...parseConfig(config, file), file, text: config },
      {
        ...{ root, home, commonDir: join(root, '.git') },
        ...{ dataDir: join(home, '.local/share/git-flame'), searchPath: '/usr/bin:/bin' },
      },
    );
  };
  return { root, home, write, read };
}

const asked = ({ items }: RepositoryContent): readonly string[] => items.map(({ where }) => where);

function codeOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof FlameError) return error.code;
    throw error;
  }
  return 'none';
}

test('TRU-1: a plain configuration asks nothing, nor does the demo, nor what is stricter or switched off', () => {
  const { read } = makePlace();
  for (const text of ['schema_version: 1\n', demoConfig]) assert.equal(asked(read(`${text}`)), [], text);
  const limits = 'limits: { agent_timeout: 1m, max_retries: 0, max_session_cost_usd: 1 }\n';
  assert.equal(asked(read(`schema_version: 1\n${limits}sandbox: { require: true, max_memory_mb: 512 }\n`)), []);
  assert.equal(asked(read('superpowers: { plugin_dir: /home/me/.ssh }\n')), [], 'what is off is not shown');
  assert.equal(asked(read('roles: { worker: { adapter: exec } }\nproject: { worktree_dir: .trees/x }\n')), []);
});

test('TRU-1: what is looser than the built-in values is asked for, with the built-in value', () => {
  const { read } = makePlace();
  const loose: [string, string][] = [
    ['limits: { agent_timeout: 6m }', 'limits.agent_timeout'],
    ['limits: { max_session_cost_usd: 0 }', 'limits.max_session_cost_usd'],
    ['limits: { max_session_cost_usd: 11 }', 'limits.max_session_cost_usd'],
    ['limits: { max_session_tokens: 5 }', 'limits.max_session_tokens'],
    ['limits: { token_budget: { worker_usd: 0 } }', 'limits.token_budget.worker_usd'],
    ['limits: { token_budget: { worker_tokens: 9 } }', 'limits.token_budget.worker_tokens'],
    ['limits: { max_retries: 3 }', 'limits.max_retries'],
    ['sandbox: { require: false }', 'sandbox.require'],
    ['sandbox: { max_disk_mb: 20000 }', 'sandbox.max_disk_mb'],
  ];
  for (const [text, path] of loose) assert.equal(asked(read(`schema_version: 1\n${text}\n`)), [path], text);
  const [item] = read('schema_version: 1\nlimits:\n  agent_timeout: 1h\n').items;
  assert.is(item?.source, '.blueflame.yml:3');
  assert.match(item?.effect ?? '', 'built-in 5m');
  assert.is(item?.words, '1h');
});

test('TRU-1: what loosens the fence of agents or the count of money is asked for, what is stricter is not', () => {
  const { read } = makePlace();
  const loose: [string, string][] = [
    ["permissions: { blocked_tools: ['Task'] }", 'permissions.blocked_tools'],
    ["permissions: { allowed_tools: ['Read', 'WebFetch'] }", 'permissions.allowed_tools'],
    ["permissions: { blocked_paths: ['.env*'] }", 'permissions.blocked_paths'],
    ["permissions: { hidden_paths: ['**/.env*'] }", 'permissions.hidden_paths'],
    ["sandbox: { egress: { setup: ['npm'] } }", 'sandbox.egress.setup'],
    ["sandbox: { egress: { private: ['localhost:4873'] } }", 'sandbox.egress.private'],
    ['pull_requests: { commenters: [stranger] }', 'pull_requests.commenters'],
    ["models: { prices: { 'claude-opus-4-8': { input: 0, output: 0 } } }", 'models.prices.claude-opus-4-8'],
  ];
  for (const [text, path] of loose) assert.equal(asked(read(`schema_version: 1\n${text}\n`)), [path], text);
  const [item] = read("permissions: { allowed_tools: ['Read', 'WebFetch'] }\n").items;
  assert.match(item?.effect ?? '', 'with WebFetch');
  const strict = [
    "permissions: { allowed_tools: ['Read'], allowed_paths: ['src/**'] }",
    "permissions: { blocked_paths: ['**/.env*', '**/*.secret', '**/*.key', go.mod] }",
    "permissions: { blocked_paths: [go.mod], hidden_paths: ['**/.*', '**/*.{secret,key,p12,pfx,jks,pem}', '**/id_*'] }",
    'pull_requests: { comments_from: owners, forge: glab, per: changeset }',
    "permissions: { bash_rules: { allowed_commands: ['npm test'] } }",
    "validation: { validator_diagnostics: { commands: ['npm test'] } }",
  ];
  for (const text of strict) assert.equal(asked(read(`${text}\n`)), [], text);
});

test('TRU-1 SBX-2: each of read_paths is asked for by its real path; homes and keys are none at all', () => {
  const { root, home, read, write } = makePlace();
  const paths = (...list: string[]): RepositoryContent => read(`sandbox: { read_paths: ${JSON.stringify(list)} }\n`);
  mkdirSync(join(home, 'tools'));
  mkdirSync(join(home, '.ssh'));
  symlinkSync(join(home, 'tools'), join(home, 'tool'));
  const content = paths('/opt/one', '~/tool');
  assert.equal(asked(content), ['sandbox.read_paths.0', 'sandbox.read_paths.1']);
  assert.is(content.items[1]?.realPath, join(home, 'tools'));
  assert.equal(content.config.sandbox.read_paths, ['/opt/one', join(home, 'tool'), join(home, 'tools')]);
  const before = content.digest;
  rmSync(join(home, 'tool'));
  symlinkSync(join(home, 'other'), join(home, 'tool'));
  assert.is.not(paths('/opt/one', '~/tool').digest, before, 'a link that leads elsewhere is asked for again');
  symlinkSync(join(home, '.ssh'), join(root, 'keys'));
  write('inside/x');
  const never = ['~/.ssh', '~/.ssh/id_rsa', '~/.netrc', '~/.config', '~/.config/gh', '~/.docker', `${home}/`];
  const machine = ['/', '/home', '/root', '/root/.aws', '/home/other', '/home/other/.gnupg', '/dev/mem', '/proc'];
  for (const path of [...never, ...machine, dirname(home), join(root, 'keys'), `${home}/x/../.ssh`])
    assert.is(
      codeOf(() => paths(path)),
      path === '/' ? 'bad-config' : 'bad-read-path',
      path,
    );
});

test('TRU-1: a file behind a substitution, a glob or a missing ending is named too', () => {
  const { root, write } = makePlace();
  for (const path of ['scripts/h.sh', 'scripts/g1.sh', 'scripts/n.cjs', 'tools/x/main.go', 'pkg/__main__.py'])
    write(path);
  const named = (command: string): readonly string[] =>
    readFilesOfCommand(command, { root, searchPath: '/usr/bin' }).map(({ path }) => path.slice(root.length + 1));
  assert.equal(named('sh $(git rev-parse --show-toplevel)/scripts/h.sh'), ['scripts/h.sh']);
  assert.equal(named('for f in scripts/g*.sh; do sh $f; done'), ['scripts/g1.sh']);
  assert.equal(named('node scripts/n'), ['scripts/n.cjs']);
  assert.equal(named('go run ./tools/x'), ['tools/x/main.go']);
  assert.equal(named('python3 -m pkg'), ['pkg/__main__.py']);
});

test('TRU-1: a worktree folder outside the repository is asked for by its real path, some are none at all', () => {
  const { root, home, read, write } = makePlace();
  const trees = (folder: string): RepositoryContent => read(`project: { worktree_dir: '${folder}' }\n`);
  assert.equal(asked(trees('../trees')), ['project.worktree_dir']);
  symlinkSync(join(home, 'elsewhere'), join(root, 'inside'));
  const content = trees('inside');
  assert.is(content.items[0]?.realPath, join(home, 'elsewhere'));
  rmSync(join(root, 'inside'));
  symlinkSync('/var', join(root, 'inside'));
  assert.is(content.config.project.worktree_dir, join(home, 'elsewhere'), 'what was asked is what is used');
  mkdirSync(join(home, '.ssh'));
  write('other/.git/x');
  assert.is(
    codeOf(() => trees('/')),
    'bad-config',
  );
  for (const folder of [home, `${home}/`, dirname(home), `${home}/.ssh`, '../repo/.git/x', 'other/.git/y', '../repo'])
    assert.is(
      codeOf(() => trees(folder)),
      'bad-worktree-dir',
      folder,
    );
});

test('TRU-1: a plugin is no home, holds no keys, and does not hold the repository', () => {
  const { root, home, read } = makePlace();
  const plugin = (folder: string): RepositoryContent =>
    read(`superpowers: { enabled: true, plugin_dir: '${folder}' }\n`);
  for (const name of ['.ssh', '.aws', '.gnupg', 'tools/plugin']) mkdirSync(join(home, name), { recursive: true });
  symlinkSync(join(home, '.ssh'), join(root, 'plugin'));
  const wrong = [`${home}/.ssh`, `${home}/.aws/sso`, `${home}/.gnupg`, home, '/', dirname(root), root, '..', 'plugin'];
  for (const folder of wrong)
    assert.is(
      codeOf(() => plugin(folder)),
      'bad-plugin-dir',
      folder,
    );
  assert.equal(asked(plugin(`${home}/tools/plugin`)), ['superpowers.plugin_dir']);
  rmSync(join(root, 'plugin'));
  symlinkSync(join(home, 'tools/plugin'), join(root, 'plugin'));
  const content = plugin('plugin');
  rmSync(join(root, 'plugin'));
  symlinkSync(join(home, '.ssh'), join(root, 'plugin'));
  assert.is(content.config.superpowers.plugin_dir, join(home, 'tools/plugin'), 'what was asked is what is used');
});

test('TRU-1: every byte counts, of words, of templates, of what they include and of what commands name', () => {
  const { read, write } = makePlace();
  const config =
    "hooks: { on_waiting: 'sh scripts/notify.sh' }\nadapters: { exec: { command: [bash, tools/run.sh] } }\n";
  for (const path of ['scripts/notify.sh', 'tools/run.sh', 'shared/part.ejs']) write(path);
  write('.blueflame/templates/worker.ejs', "<%- include('../../shared/part') %>\n=== prompt ===\n");
  const paths = ['scripts/notify.sh', 'tools/run.sh', 'shared/part.ejs', '.blueflame/templates/worker.ejs'];
  const first = read(config);
  assert.equal([...asked(first)].sort(), [...paths, 'hooks.on_waiting', 'adapters.exec.command'].sort());
  assert.is(read(`# a comment\n\n${config}`).digest, first.digest, 'where it stands in the file is no matter');
  const digests = [first.digest, read(config.replace('scripts/notify', './scripts/notify')).digest];
  for (const path of paths) {
    write(path, "<%- include('../../shared/part') %>y\n=== prompt ===\n");
    digests.push(read(config).digest);
  }
  assert.is(new Set(digests).size, digests.length);
});

test('TRU-1: a link that leads outside is shown by its real path and counts by its content', () => {
  const { root, home, read } = makePlace();
  mkdirSync(join(home, 'outside'));
  const secret = join(home, 'outside', 'worker.ejs');
  writeFileSync(secret, 'One.\n=== prompt ===\n');
  mkdirSync(join(root, '.blueflame'));
  symlinkSync(join(home, 'outside'), join(root, '.blueflame', 'templates'));
  const before = read('schema_version: 1\n');
  assert.is(before.items[0]?.where, '.blueflame/templates/worker.ejs');
  assert.is(before.items[0]?.realPath, secret);
  writeFileSync(secret, 'Two.\n=== prompt ===\n');
  assert.is.not(read('schema_version: 1\n').digest, before.digest);
  assert.match([...before.templates.texts.values()].join(), 'One.');
});

test('TRU-1: files that a command names are found in whatever way it names them', () => {
  const { root, write } = makePlace();
  const own = [
    'scripts/a.sh',
    'scripts/my tool.sh',
    'tools/notify.py',
    'tools/cli/index.js',
    'package.json',
    'Makefile',
    'log.txt',
  ];
  for (const path of own) write(path);
  write('.git/facts');
  const cases: [string, string[]][] = [
    ['sh scripts/a.sh', ['scripts/a.sh']],
    ['./scripts/a.sh --x', ['scripts/a.sh']],
    [`${root}/scripts/a.sh`, ['scripts/a.sh']],
    ['cd scripts && ./a.sh', ['scripts/a.sh']],
    ['cd "scripts"; . ./a.sh', ['scripts/a.sh']],
    ["sh 'scripts/my tool.sh'", ['scripts/my tool.sh']],
    ['sh scripts/my\\ tool.sh', ['scripts/my tool.sh']],
    ['"$PWD"/scripts/a.sh', ['scripts/a.sh']],
    ['sh "$(git rev-parse --show-toplevel)/scripts/a.sh"', ['scripts/a.sh']],
    ['bash -c "sh scripts/a.sh"', ['scripts/a.sh']],
    ['sh<scripts/a.sh', ['scripts/a.sh']],
    ['curl --config=scripts/a.sh', ['scripts/a.sh']],
    ['sh scripts//../scripts/a.sh', ['scripts/a.sh']],
    ['python3 -m tools.notify', ['tools/notify.py']],
    ['node tools/cli', ['tools/cli/index.js']],
    ['npm run notify', ['package.json']],
    ['make notify', ['Makefile']],
    ['run-parts scripts', ['scripts/a.sh', 'scripts/my tool.sh']],
    ['echo done >> log.txt', []],
    ['echo ">" scripts/a.sh', ['scripts/a.sh']],
    ['notify-send hello; echo x > .git/facts; cat .git/facts', []],
    ['curl -d @/etc/hostname https://example.com', []],
  ];
  for (const [command, paths] of cases) {
    const found = readFilesOfCommand(command, { root, searchPath: '/usr/bin' });
    assert.equal(
      found.map(({ path }) => path),
      paths.map((path) => join(root, path)).sort(),
      command,
    );
  }
  write('bin/mine');
  const inPath = readFilesOfCommand('mine', { root, searchPath: `/usr/bin:${root}/bin` });
  assert.equal(
    inPath.map(({ path }) => path),
    [join(root, 'bin/mine')],
  );
});

const namedBy = (root: string, command: string): readonly string[] =>
  readFilesOfCommand(command, { root, searchPath: '/usr/bin' }).map(({ path }) => path.slice(root.length + 1));

test('TRU-1: what may be run in place of what a command names is named as soon as it is there', () => {
  const { root, write } = makePlace();
  for (const name of ['a', 'b', 'c']) write(`scripts/${name}.sh`);
  write('package.json', JSON.stringify({ scripts: { notify: 'true' } }));
  write('tools/notify.py');
  assert.equal(namedBy(root, 'npm run notify'), ['package.json']);
  assert.equal(namedBy(root, 'python3 -m tools.notify'), ['tools/notify.py']);

  write('.npmrc', '//registry.example.com/:_authToken=$TOKEN\nscript-shell = ./scripts/a.sh\n');
  write('.yarnrc.yml', 'yarnPath: scripts/b.sh\n');
  write('.pnpmfile.cjs');
  write('tools/notify/__init__.py');
  write('tools/notify/__main__.py');
  const npm = ['.npmrc', 'package.json', 'scripts/a.sh'];
  assert.equal(namedBy(root, 'npm run notify'), npm);
  assert.equal(namedBy(root, 'pnpm run notify'), ['.npmrc', '.pnpmfile.cjs', 'package.json', 'scripts/a.sh']);
  assert.equal(namedBy(root, 'yarn run notify'), [
    ...['.npmrc', '.yarnrc.yml', 'package.json', 'scripts/a.sh', 'scripts/b.sh'],
  ]);
  assert.equal(namedBy(root, 'python3 -m tools.notify'), [
    ...['tools/notify.py', 'tools/notify/__init__.py', 'tools/notify/__main__.py'],
  ]);
});

test('TRU-1: what a recipe runs for a command is named too', () => {
  const { root, write } = makePlace();
  for (const name of ['a', 'b', 'c', 'd', 'e']) write(`scripts/${name}.sh`);
  write(
    'package.json',
    JSON.stringify({
      scripts: {
        notify: 'npm run inner -- --x',
        prenotify: 'sh scripts/a.sh',
        inner: 'bash ./scripts/b.sh',
        test: 'sh scripts/c.sh',
      },
    }),
  );
  write('pkg/package.json', JSON.stringify({ scripts: { go: './run.sh' } }));
  write('pkg/run.sh');
  write('deno.jsonc', '{\n  // tasks\n  "tasks": { "notify": { "command": "sh scripts/d.sh" }, },\n}\n');
  write(
    'Makefile',
    'DIR = scripts\nall:\n\ttrue\nnotify: first\n\t@sh $(DIR)/a.sh $@\nfirst:; sh scripts/b.sh\nlast:\n\tsh scripts/c.sh\n',
  );
  write('justfile', 'notify: first\n    sh scripts/e.sh\nfirst:\n    sh scripts/d.sh\nlast:\n    sh scripts/c.sh\n');
  const cases: [string, string[]][] = [
    ['npm run notify', ['package.json', 'scripts/a.sh', 'scripts/b.sh']],
    ['npm test', ['package.json', 'scripts/c.sh']],
    ['deno task notify', ['deno.jsonc', 'package.json', 'scripts/a.sh', 'scripts/b.sh', 'scripts/d.sh']],
    ['make notify', ['Makefile', 'scripts/a.sh', 'scripts/b.sh']],
    ['just notify', ['justfile', 'scripts/d.sh', 'scripts/e.sh']],
    ['npx tsc', ['package.json']],
  ];
  for (const [command, paths] of cases) assert.equal(namedBy(root, command), paths, command);
  assert.ok(namedBy(root, 'npm --prefix pkg run go').includes('pkg/run.sh'));
  write('node_modules/.bin/tsc');
  assert.equal(namedBy(root, 'npx -y tsc'), ['node_modules/.bin/tsc', 'package.json']);
});

test('TRU-1: where the words of a hook do not say what it runs, every program of the repository counts', () => {
  const { root, write, read } = makePlace();
  for (const path of ['scripts/a.sh', 'lib/any.py', 'README.md']) write(path);
  write('Makefile', 'notify:\n\tsh $(FILE)\n');
  write('package.json', JSON.stringify({ scripts: { notify: 'sh "$FILE"' } }));
  const open = [
    'eval "$X"',
    'sh -c "$X"',
    '. "$X"',
    'sh $(ls -t scripts | head -1)',
    '"$1"',
    '$X --all',
    'true && $X',
    'x=$(cat name); sh $x',
    'read f < list; sh $f',
    'sh scripts/$X.sh',
    'ls scripts | xargs -n1 sh',
    "find scripts -name '*.sh' -exec {} \\;",
    'cat scripts/* | sh',
    'bash <(cat scripts/a.sh)',
    'sh < $X',
    'echo "$(sh $X)"',
    'env A=b nice -n 5 $X',
    'cd "$X" && ./a.sh',
    'node -e "require(process.argv[1])" ./lib/x',
    "python3 -c 'exec(open(name).read())'",
    'sh -c \'sh "$0"\' scripts/a.sh',
    'if true; then $X; fi',
    'cat scripts/a.sh | (sh)',
    'while true; do sh; done < list',
    'sh <<E\n$X\nE',
    'sh <<< "$X"',
    'sh $(cat name)/a.sh',
    'sh "$(cat name)/scripts/a.sh"',
    "notify-send 'it is over",
    'make notify',
    'npm run notify',
  ];
  const plain = [
    'notify-send "$FLAME_MESSAGE"',
    'sh scripts/a.sh "$FLAME_MESSAGE" $FLAME_TASK',
    'for f in scripts/*.sh; do sh $f; done',
    'D=scripts; sh "$D/a.sh"',
    'sh "$(git rev-parse --show-toplevel)/scripts/a.sh" `date`',
    '"$PWD"/scripts/a.sh',
    '$HOME/bin/notify "$FLAME_EVENT"',
    'curl -d "$(date) $FLAME_MESSAGE" https://example.com > /dev/null 2>&1',
    'X=$FLAME_EVENT; [ "$X" = a ] && sh scripts/a.sh || echo $X >> log',
    "node -e 'console.log(1 + 1)' $FLAME_TASK",
    'sh -c \'echo "$1"\' _ "$FLAME_TASK"',
    'echo $(date) $FLAME_EVENT',
    'cat <<E >> log\n$FLAME_MESSAGE\nE',
    'sh <<E\nsh scripts/a.sh $FLAME_EVENT\nE',
  ];
  for (const command of open) assert.ok(namedBy(root, command).includes(''), command);
  for (const command of plain) assert.not(namedBy(root, command).includes(''), command);

  const config = `hooks: { on_waiting: 'eval "$X"' }\n`;
  const first = read(config);
  assert.equal(asked(first), ['hooks.on_waiting', 'any program of this repository']);
  assert.match(first.items[1]?.words ?? '', /"scripts\/a\.sh"/);
  const guard = guardRepository({
    content: first,
    isAllowed: true,
    hints: [],
    place: { root, searchPath: '' },
  });
  write('README.md', 'more\n');
  write('node_modules/x/index.js');
  guard.requireHook('eval "$X"');
  write('lib/any.py', 'more\n');
  assert.is(
    codeOf(() => guard.requireHook('eval "$X"')),
    'not-trusted',
  );
  assert.is.not(read(config).digest, first.digest);
});

test('TRU-1: a plugin in the repository counts by its content, and is compared again before it is loaded', () => {
  const { root, write, read } = makePlace();
  write('tools/plugin/skills/one.md');
  const config = 'superpowers: { enabled: true, plugin_dir: tools/plugin }\n';
  const content = read(config);
  assert.equal(asked(content), ['superpowers.plugin_dir', 'tools/plugin']);
  const guard = guardRepository({ content, isAllowed: true, hints: [], place: { root, searchPath: '' } });
  guard.requireAgents();
  write('tools/plugin/hooks/late.sh');
  assert.is(
    codeOf(() => guard.requireAgents()),
    'not-trusted',
  );
  assert.is.not(read(config).digest, content.digest);
});

test('TRU-1: a file too large to be shown or kept counts by its last byte', () => {
  const { read, write } = makePlace();
  const config = "hooks: { on_waiting: 'tools/large' }\n";
  const text = 'x'.repeat(9_000_000);
  write('tools/large', text);
  const before = read(config);
  assert.is(before.items[1]?.words, null);
  write('tools/large', `${text.slice(1)}y`);
  assert.is.not(read(config).digest, before.digest);
});

test('TRU-1: a script swapped between the question and its use is not run, nor one that came later', () => {
  const { root, read, write } = makePlace();
  const [hook, late] = ['sh scripts/a.sh', '[ ! -e scripts/b.sh ] || sh scripts/b.sh'];
  write('scripts/a.sh');
  write('same/a.sh');
  const content = read(`hooks: { on_waiting: '${hook}', post_merge: '${late}' }\n`);
  const place = { root, searchPath: '/usr/bin' };
  const guard = guardRepository({ content, isAllowed: true, place, hints: ['git flame trust'] });
  const run = (command: string): string => codeOf(() => guard.requireHook(command));
  assert.equal([hook, late, 'sh other.sh'].map(run), ['none', 'none', 'not-trusted']);
  write('scripts/b.sh');
  assert.is(run(late), 'not-trusted');
  write('scripts/a.sh', 'y\n');
  assert.is(run(hook), 'not-trusted');
  write('scripts/a.sh');
  assert.is(run(hook), 'none');
  renameSync(join(root, 'scripts/a.sh'), join(root, 'scripts/old.sh'));
  symlinkSync(join(root, 'same/a.sh'), join(root, 'scripts/a.sh'));
  assert.is(run(hook), 'not-trusted', 'the same bytes by another way may change at any time');
  const closed = guardRepository({ content, isAllowed: false, place, hints: [] });
  for (const work of [closed.requireAll, closed.requireAgents, () => closed.requireHook(hook)])
    assert.is(codeOf(work), 'not-trusted');
});

test.run();
