import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { flame } from '../../support/flame.ts';
import { makeRepo } from '../../support/repo.ts';

test('CLI-1 --print prints what a chat is told of the tools, of one alone nothing but that', async () => {
  const repo = makeRepo();
  const all = await flame(repo, ['mcp', '--print']);
  assert.is(all.code, 0, all.stderr);
  assert.equal(
    [...all.stdout.matchAll(/^# (\w+): /gm)].map(([, name]) => name),
    ['claude', 'codex', 'gemini', 'opencode', 'kimi', 'copilot'],
  );
  assert.match(all.stdout, /^claude mcp add flame -- git flame mcp$/m);
  const one = async (name: string): Promise<string> => (await flame(repo, ['mcp', '--print', name])).stdout;
  assert.match(await one('codex'), /^\[mcp_servers\.flame\]\ncommand = "git"\nargs = \["flame", "mcp"\]\n/);
  const server = { command: 'git', args: ['flame', 'mcp'] };
  const { mcpServers } = JSON.parse(await one('gemini'));
  assert.equal(mcpServers, { flame: { ...server, timeout: 120_000 } });
  assert.equal(JSON.parse(await one('kimi')), {
    mcpServers: { flame: { ...server, toolTimeoutMs: 120_000 } },
  });
  assert.equal(JSON.parse(await one('opencode')).mcp.flame.command, ['git', 'flame', 'mcp']);
  assert.is(await one('copilot'), 'copilot mcp add flame --timeout 120000 -- git flame mcp\n');
  const unknown = await flame(repo, ['mcp', '--print', 'other']);
  assert.equal([unknown.code, /knows claude, codex/.test(unknown.stderr)], [129, true]);
});

test.run();
