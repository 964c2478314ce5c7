import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Forge, openForge } from '../../../lib/commands/forge/open-forge.ts';
import { isForgeProgramInstalled, type RunForgeProgram } from '../../../lib/commands/forge/run-forge.ts';
import { FlameError } from '../../../lib/domain/flame-error.ts';
import { makeTempDir } from '../../support/repo.ts';

// Every option that gh and glab are given is one that they document; where the program is there, it is asked itself.

/** As their documentation has them: of gh since 2.23, of glab as of December 2025. */
const documented: Readonly<Record<Forge['name'], Readonly<Record<string, readonly string[]>>>> = {
  gh: {
    'pr create': ['--base', '--head', '--title', '--body-file'],
    'pr edit': ['--title', '--body-file', '--base'],
    'pr view': ['--json'],
    'run view': ['--job', '--log-failed', '--repo'],
    'issue view': ['--repo', '--json'],
    api: ['--hostname', '--paginate'],
  },
  glab: {
    'mr create': ['--target-branch', '--source-branch', '--title', '--yes', '--description'],
    'mr update': ['--repo', '--title', '--description', '--target-branch', '--yes'],
    'mr view': ['--output'],
    'issue view': ['--repo', '--output'],
    api: ['--hostname', '--paginate', '--method', '--field'],
  },
};

const head = 'a'.repeat(40);
const urls = {
  gh: 'https://github.example/lea/sample/pull/7',
  glab: 'https://gitlab.example/lea/sample/-/merge_requests/7',
};

function openWith(name: Forge['name'], ask: RunForgeProgram): Forge {
  const io = { cwd: '/', env: {}, stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };
  return openForge(name, { cwd: '/', io, retry: '' }, ask);
}

/** One value that each of them reads what it needs from. */
function said(name: Forge['name'], words: readonly string[]): string {
  const line = words.join(' ');
  const url = urls[name];
  if (line.includes(' create ')) return `${url}\n`;
  if (name === 'gh' && words[0] === 'api') return '[]';
  if (/discussions|members|jobs\?/.test(line))
    return line.includes('jobs?') ? JSON.stringify([{ id: 6, name: 'test', status: 'failed' }]) : '[]';
  const detailsUrl = 'https://github.example/lea/sample/actions/runs/5/job/61';
  const isIssue = words[0] === 'issue';
  const issues = {
    gh: 'https://github.example/lea/sample/issues/3',
    glab: 'https://gitlab.example/lea/sample/-/issues/3',
  };
  return JSON.stringify({
    ...{ url: isIssue ? issues.gh : url, web_url: isIssue ? issues.glab : url, number: 3, title: 'T' },
    ...{ headRefOid: head, sha: head, head_pipeline: { id: 5 } },
    statusCheckRollup: [{ name: 'test', conclusion: 'FAILURE', detailsUrl }],
    state: name === 'gh' ? 'OPEN' : 'opened',
  });
}

/** The words of every call that one of them is asked for. */
async function allCalls(name: Forge['name']): Promise<readonly (readonly string[])[]> {
  const calls: (readonly string[])[] = [];
  const forge = openWith(name, async (words) => {
    calls.push(words);
    return said(name, words);
  });
  const text = { base: 'main', branch: 'flame/x', title: 'T', body: 'Short.', bodyFile: '/tmp/body.md' };
  const url = urls[name];
  await forge.create(text);
  await forge.update(url, { ...text, newBase: 'main' });
  await forge.update(url, { ...text, body: 'Long. '.repeat(6_000) });
  await forge.find('flame/x');
  await forge.standing(url);
  await forge.news(url, { comments_from: 'members', commenters: [] }, new Set());
  await forge.issue({ forge: name, number: '3', project: 'lea/sample', host: null });
  return calls;
}

function commandOf(words: readonly string[]): string {
  return words[0] === 'api' ? 'api' : words.slice(0, 2).join(' ');
}

for (const name of ['gh', 'glab'] as const) {
  test(`RND-2 ${name} is given options that it documents, and no others`, async () => {
    const calls = await allCalls(name);
    const used = new Map<string, Set<string>>();
    for (const words of calls) {
      const options = used.get(commandOf(words)) ?? new Set();
      for (const word of words) if (/^--?[a-z]/.test(word)) options.add(word);
      used.set(commandOf(words), options);
    }
    const sorted = (lists: Iterable<readonly [string, Iterable<string>]>) =>
      [...lists].map(([command, options]) => [command, [...options].sort()]).sort();
    assert.equal(sorted(used), sorted(Object.entries(documented[name])));
  });

  test(`RND-2 what ${name} printed and cannot be read names ${name} in what to do next`, async () => {
    const error = await openWith(name, async () => 'no JSON')
      .issue({ forge: name, number: '3', project: 'lea/sample', host: null })
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    assert.instance(error, FlameError);
    assert.equal(error instanceof FlameError ? error.hints.slice(0, -1) : [], [`${name} --version`]);
  });

  if (isForgeProgramInstalled(name, process.env.PATH))
    test(`RND-2 the ${name} that is installed knows them`, () => {
      const env = { PATH: process.env.PATH ?? '', HOME: makeTempDir('no-account') };
      for (const [command, options] of Object.entries(documented[name])) {
        const { stdout } = spawnSync(name, [...command.split(' '), '--help'], { env, encoding: 'utf8' });
        for (const option of options) assert.match(stdout, new RegExp(`${option}\\b`), `${name} ${command} ${option}`);
      }
    });
}

test.run();
