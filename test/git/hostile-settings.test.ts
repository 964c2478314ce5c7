import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeAnthropicRequest } from '../../lib/cell/gateway/dialects/anthropic-request.ts';
import { checkedWorkLimits } from '../../lib/domain/config/checked-work-limits.ts';
import { isModelPermitted } from '../../lib/domain/config/configured-model.ts';
import { sanitizeWorktree } from '../../lib/git/cells/sanitize-worktree.ts';
import { readRepositorySettings, renderGitConfigForCell } from '../../lib/git/process/git-settings.ts';
import { makeRepo, makeTempDir } from '../support/repo.ts';

test('SBX-2: patterns that git matches for minutes are too much, usual ones and comments are not', async () => {
  const folder = makeTempDir();
  const judge = async (pattern: string): Promise<string> => {
    writeFileSync(join(folder, '.gitignore'), `${pattern}\n`);
    return sanitizeWorktree(folder, {
      bounds: checkedWorkLimits,
      known: 0,
      guard: {},
      before: async () => null,
    }).then(() => 'fine', String);
  };
  for (const pattern of ['*.py[cod]', '**/*.test.*/*', '!*', 'a/*/b/*/c/*/d/*', '# **** * a * a * a'])
    assert.is(await judge(pattern), 'fine', pattern);
  for (const pattern of [`${'*a'.repeat(30)}b`, `${'*[a]'.repeat(5)}b`, `x/${'*a'.repeat(4)}/b`])
    assert.match(await judge(pattern), 'inside the names', pattern);
});

test('SBX-2: cells see of the configuration what git works by, and no token', async () => {
  const repo = makeRepo();
  const secrets = [
    ['github.token', 'x-secret'],
    ['azure.pat', 'x-secret'],
    ['branch.main.description', 'x-secret'],
    ['branch.main.remote', 'x-secret'],
    ['user.signingkey', 'x-secret'],
    ['lfs.https://h/.extraheader', 'x-secret'],
    ['remote.origin.url', 'https://me:x-secret@example.com/r.git?token=x-secret'],
    ['remote.wiki.url', 'hg::https://me:x-secret@example.com/w?token=x-secret'],
  ] as const;
  for (const [key, value] of secrets) repo.git('config', key, value);
  repo.git('config', 'core.autocrlf', 'input');
  const text = renderGitConfigForCell(await readRepositorySettings(repo.env, join(repo.path, '.git')));
  assert.not.match(text, 'x-secret');
  assert.match(text, 'autocrlf');
  assert.match(text, 'https://example.com/r.git');
});

test('WAT-1: odd counts and odd model ids are refused', () => {
  for (const most of [-1, 0, 1.5, '8', null, 1e300])
    assert.is(judgeAnthropicRequest({ model: 'x', messages: [], max_tokens: most }, [])?.why, 'field');
  assert.is(judgeAnthropicRequest({ model: 'x', messages: [], max_tokens: 8 }, []), null);
  for (const id of ['claude-haiku-4-5/../x', 'claude-sonnet-4-5 x', 'claude-haiku\n', 'a/claude-sonnet-4-5'])
    assert.is(isModelPermitted({ model: 'sonnet', prices: {}, helper: 'haiku' }, id), false, id);
  assert.is(isModelPermitted({ model: 'vendor/claude-x', prices: {}, helper: 'haiku' }, 'vendor/claude-x'), true);
  assert.is(isModelPermitted({ model: 'sonnet', prices: {}, helper: 'haiku' }, 'claude-sonnet-4-5-20250929'), true);
});

test.run();
