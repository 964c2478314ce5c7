import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import { readAudit } from '../../lib/cell/watcher/audit-log.ts';
import type { ConversationResult } from '../../lib/domain/ports/call-facts.ts';
import type { ScriptedModel } from '../support/scripted-model.ts';
import { askWithin, checkAskedWithin } from './asked-within.ts';
import type { HookedCli, Kit } from './cli-stage.ts';
import { evilWords, startedBySettings, writeHostileSettings } from './hostile-settings.ts';

/** Work in one start: what is allowed, what isn't, what isn't offered, and a repository and a home full of settings. */
export async function workInHostileRepository(cli: HookedCli, { open, proves }: Kit): Promise<void> {
  const absent = Object.values(cli.absent);
  const stage = await open([
    { calls: [cli.write('new.txt', 'new\n'), cli.write('secret.key', 'x')] },
    { calls: [cli.shell('touch ../outside')] },
    { calls: [cli.shell('git add new.txt && git commit -qm "add new"')] },
    { calls: [cli.shell('env')] },
    { calls: absent },
    { calls: [cli.shell('./off.sh')] },
    // The same call twice at once, and calls that fail by themselves: what was allowed may fail.
    { calls: [cli.shell('cat new.txt'), cli.shell('cat new.txt')] },
    { calls: [cli.shell('cat nothing')] },
    { calls: [cli.edit('nothing.txt', 'a', 'b')] },
    { calls: [cli.write('secret.key', 'x')] },
    { text: 'All done.' },
  ]);
  writeHostileSettings(stage.cell.path);
  writeFileSync(
    join(stage.cell.path, 'off.sh'),
    `#!/bin/bash\n${cli.unhook}\ntouch tried\n${commitBlocked}\n${askWithin(cli)}\n`,
    {
      mode: 0o755,
    },
  );
  const outcome = await stage.run();
  assert.is(outcome.failure, null, JSON.stringify([outcome, stage.model.results().at(-1)]));
  assert.is(outcome.text, 'All done.');
  assert.is(outcome.tokens, stage.model.seen.length * 110);
  const commit = await stage.port.readCommit(await stage.port.cellHead(stage.cell), stage.cell.quarantine);
  assert.is(commit.message.trim(), 'add new');
  assert.not(existsSync(join(stage.cell.path, 'secret.key')));
  assert.ok(existsSync(join(stage.cell.path, 'tried')));
  assert.not(existsSync(join(stage.cell.path, 'unjudged')), `${cli.name} keeps git from asking its hooks`);
  checkResults(cli, stage.model.results());
  checkRequests(cli, stage.model);
  assert.equal(startedBySettings(stage.cell.path), []);
  const logs = join(stage.repo.path, '.git/blueflame/logs');
  const read = (kind: string): string => readFileSync(join(logs, `${stage.id}.${kind}.jsonl`), 'utf8');
  assert.match(read('audit'), /"target":"[^"]*secret\.key","decision":"block","rule":"path-hidden"/);
  const keys = ['timestamp', 'agent_id', 'tool', 'target', 'decision', 'rule', 'details'];
  assert.equal(Object.keys(JSON.parse(read('audit').split('\n')[1] ?? '')), keys);
  assert.equal(await stage.runner.auditOf(stage.id), outcome.audit);
  assert.not.match(read('egress'), new RegExp(cli.key));
  const audit = readAudit(join(logs, `${stage.id}.audit.jsonl`));
  checkAskedWithin(cli, stage.cell.path, audit);
  const refusedTools = audit.filter(({ decision, rule }) => decision === 'block' && rule.startsWith('tool-'));
  assert.is(refusedTools.length, absent.length, JSON.stringify(refusedTools));
  proves(`${cli.dialect} API: spoken`, 'shell: judged', 'edit: judged');
  for (const what of Object.keys(cli.absent)) proves(`${what}: not offered, and refused`);
  proves('settings, plugins and servers of repository and person: not loaded');
  proves('hook taken out of the settings: still asked', 'key: stays outside');
  proves(`what the ${cli.dialect} API would do by itself: refused, and in the audit`);
}

// A script's commit, which no hook of the CLI sees: git's own judge it as it is made.
const commitBlocked = [
  'echo x > secret.key && git add -f secret.key',
  'git commit -qm "add blocked" && touch unjudged',
  'git rm -qf --cached secret.key; rm -f secret.key',
].join('\n');

function checkResults(cli: HookedCli, results: readonly ConversationResult[]): void {
  const text = (index: number): string => results[index]?.text ?? '';
  const all = results.map((one) => JSON.stringify(one)).join('\n');
  assert.not.match(text(0), /ERROR|error/, all);
  assert.match(text(1), cli.blocked, all);
  assert.match(text(1), 'secret.key is hidden', all);
  assert.match(text(2), cli.blocked, all);
  // What a command runs finds neither the address nor the key its CLI uses, and nothing of the repository's `.env`.
  assert.match(text(4), /^(?:Output: )?SHELL=\/bin\/bash$/m, all);
  assert.not.match(text(4), /inside-the-cell|_BASE_URL|_API_KEY|47113|evil/, all);
  for (const [index, { name }] of Object.values(cli.absent).entries())
    assert.match(text(5 + index), cli.unknown, `${name}\n${all}`);
  const after = 6 + Object.values(cli.absent).length;
  for (const index of [after, after + 1]) assert.match(text(index), /^(?:Output: )?new$/m, all);
  assert.match(results.at(-1)?.text ?? '', cli.blocked, all);
}

function checkRequests(cli: HookedCli, { seen }: ScriptedModel): void {
  assert.ok(seen.every(({ headers }) => cli.shown(headers) === cli.key));
  const bodies = JSON.stringify(seen.map(({ body }) => body));
  assert.not.match(bodies, new RegExp(cli.key));
  assert.is(evilWords.exec(bodies)?.[0], undefined);
  const tools = JSON.stringify(seen.find(({ body }) => body.tools !== undefined)?.body.tools);
  const names = [...tools.matchAll(/"name":"([A-Za-z_]+)","description"/g)].map(([, name]) => name);
  assert.equal([...names].sort(), [...cli.offered].sort());
}
