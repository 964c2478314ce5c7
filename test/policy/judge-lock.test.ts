import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { parseAgentId } from '../../lib/domain/ids.ts';
import { compilePolicy } from '../../lib/policy/compile-policy.ts';
import { explainUnwritableLock } from '../../lib/policy/judge-lock.ts';
import { judgeGitAttributesFile, judgePathByName, judgePathInScope } from '../../lib/policy/judge-path.ts';
import { globMatchesPath } from '../../lib/util/path-globs.ts';
import { makeRandom } from '../support/random.ts';

const config = configSchema.parse({
  project: { worktree_dir: './work/trees/' },
  permissions: { blocked_paths: ['**/*.key', 'src/vendor/**', 'secrets'] },
});

function policyFor(...fileLocks: readonly string[]) {
  const agentId = parseAgentId('worker-12345678');
  return compilePolicy({ config, role: 'worker', agentId, worktree: '/wt', fileLocks });
}

const refuse = (lock: string): string | null => explainUnwritableLock(policyFor(), lock);

test('PLN-4 a lock on what no agent may write is refused with the place and why', () => {
  const settings = 'which holds settings that agents obey: no agent may write there';
  assert.equal(
    [
      ...[
        '.git/hooks/post-commit',
        'lib/.GIT/',
        'git~1/config',
        '.blueflame.yml',
        './.blueflame.yml',
        'a/.blueflame/templates/**',
      ],
      ...[
        '.blueflame*',
        '.claude/settings.json',
        '**/.mcp.json',
        '.github/hooks/x.json',
        'work/trees/worker-1/a.ts',
        'Work/Trees/**',
      ],
      ...[
        'src/vendor/',
        'src/Vendor/a.ts',
        '**/*.key',
        'secrets',
        'x.key/y',
        '**/.gitattributes',
        './.gitmodules',
        'src/ a.ts',
      ],
      '{src/a.ts,.blueflame.yml}',
    ].map(refuse),
    [
      "names .git, which is git's own: no agent may write there",
      "names .GIT, which is git's own: no agent may write there",
      "names git~1, which is git's own: no agent may write there",
      'names .blueflame.yml, which configures git flame: no agent may write there',
      'names .blueflame.yml, which configures git flame: no agent may write there',
      'names .blueflame, which configures git flame: no agent may write there',
      'names .blueflame*, which configures git flame: no agent may write there',
      `names .claude, ${settings}`,
      `names .mcp.json, ${settings}`,
      `names .github/hooks, ${settings}`,
      "names work/trees, which is where agents' worktrees are (project.worktree_dir): no agent may write there",
      "names work/trees, which is where agents' worktrees are (project.worktree_dir): no agent may write there",
      'is inside blocked_paths (src/vendor/**)',
      'is inside blocked_paths (src/vendor/**)',
      'is inside hidden_paths (**/*.key)',
      'is inside blocked_paths (secrets)',
      'is inside hidden_paths (**/*.key)',
      'changes how git treats other files: name exactly this file, in a separate lock',
      'changes how git treats other files: name exactly this file, in a separate lock',
      'has a space at the start or end of a name, so no agent may write it',
      'names .blueflame.yml, which configures git flame: no agent may write there',
    ],
  );
});

test('PLN-4 a lock on more than such a place, or on what only looks like it, is fine', () => {
  const fine = [
    ...['**', '*', '.', 'src/', '.git*', '.gitignore', '.gitattributes', 'sub/.gitmodules', '.github/workflows/ci.yml'],
    ...['work/', 'work/tree', 'src/[id]/page.ts', 'src/{a,b}.ts', '.blueflame.example.yml', 'blueflame.ts', '**/*.ts'],
  ];
  assert.equal(
    fine.map(refuse),
    fine.map(() => null),
  );
});

test('PLN-4 what a plan may lock is what a worker may write: a plain lock never less, and what is refused nowhere', () => {
  const random = makeRandom(7);
  const pick = (from: readonly string[]): string => from[random.int(0, from.length - 1)] ?? '';
  const names = [
    'src',
    'vendor',
    'a.ts',
    'a.key',
    '.git',
    '.GITattributes',
    '.gitmodules',
    '.claude',
    '.github',
    'hooks',
  ];
  const more = [
    '.blueflame.yml',
    '.blueflame',
    '.Blueflame.local',
    'secrets',
    'work',
    'trees',
    '.mcp.json',
    'é',
    'b c',
  ];
  const all = [...names, ...more];
  const path = (words: readonly string[]): string =>
    Array.from({ length: random.int(1, 3) }, () => pick(words)).join('/');
  for (let turn = 0; turn < 3_000; turn += 1) {
    const [lock, file] = [path([...all, '*', '**', '*.key', '.b*', '{a.ts,.git}']), path(all)];
    const policy = policyFor(lock);
    const objection =
      judgePathByName(policy, file) ?? judgePathInScope(policy, file) ?? judgeGitAttributesFile(policy, file);
    const refused = refuse(lock);
    if (lock === file) assert.is(refused === null, objection === null, `${lock}: ${refused}, ${objection?.details}`);
    else if (refused !== null && !lock.includes('{') && globMatchesPath(lock, file))
      assert.ok(objection, `${lock} was refused, and ${file} may be written`);
    const own = judgePathByName(policyFor(file), file) ?? judgeGitAttributesFile(policyFor(file), file);
    assert.is(refuse(file) === null, own === null, `${file}: ${refuse(file)}, ${own?.details}`);
  }
});

test.run();
