import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { getAdapter } from '../../lib/agents/get-adapter.ts';
import { configSchema } from '../../lib/domain/config/config-schema.ts';
import { FlameError } from '../../lib/domain/flame-error.ts';
import { makeTempDir } from '../support/repo.ts';
import { hasBubblewrap, testIf } from '../support/skip.ts';
import { type CellFixture, openCellFixture } from './fixture.ts';

// Programs in the place of an agent CLI, each with a fault that the real ones may have one day. Which CLI it is said to
// be makes no difference: what is looked at is the cell, and what the adapters have in common.

const live = testIf(test, hasBubblewrap(), 'needs bubblewrap');
const begun = '{"role":"meta","type":"system.version","version":"2.1.0"}';

async function openStandIn(lines: readonly string[]): Promise<CellFixture & { readonly program: string }> {
  const program = join(makeTempDir('flame-stand-in'), 'kimi');
  writeFileSync(program, ['#!/bin/bash', ...lines, ''].join('\n'), { mode: 0o755 });
  const adapter = getAdapter('kimi', configSchema.parse({ adapters: { kimi: { command: [program] } } }));
  // Nobody answers there, and nobody is asked.
  const env = { MOONSHOT_API_KEY: 'sk-outside', MOONSHOT_BASE_URL: 'http://127.0.0.1:9/v1' };
  return { ...(await openCellFixture({ adapter, env })), program };
}

live('SBX-1: one that updates itself and asks the network changes nothing and reaches nobody', async () => {
  const { cell, program, request, runner } = await openStandIn([
    '[ "$1" = --version ] && { echo 2.1.0; exit; }',
    'echo "# newer" >> "$0" && touch updated',
    'mv "$0" "$0.old" && touch updated',
    // What a program inside can connect to, by the shell alone: a public address, the machine, the gateway's bridge.
    'for at in 192.0.2.1/443 127.0.0.1/9 127.0.0.1/22; do',
    '  timeout 5 bash -c "exec 3<>/dev/tcp/$at" && echo "$at" >> reached',
    'done',
    'touch asked',
    `echo '${begun}'`,
    `echo '{"role":"meta","type":"session.resume_hint","session_id":"1"'`,
  ]);
  assert.is(await runner.checkAdapter('kimi'), '2.1.0');
  const before = readFileSync(program, 'utf8');
  const { failure } = await (await runner.start(request({ adapter: 'kimi', model: 'kimi-k2.6' }), () => undefined))
    .outcome;
  assert.ok(existsSync(join(cell.path, 'asked')));
  for (const name of ['updated', 'reached']) assert.not(existsSync(join(cell.path, name)), name);
  assert.is(readFileSync(program, 'utf8'), before);
  // It ended with 0, having said half a line.
  assert.is(failure?.kind, 'agent-crashed', JSON.stringify(failure));
});

async function refusalOf(lines: readonly string[]): Promise<FlameError> {
  const { runner } = await openStandIn(lines);
  const error: unknown = await runner.checkAdapter('kimi').catch((reason: unknown) => reason);
  if (!(error instanceof FlameError)) throw new Error(`No refusal but ${String(error)}`);
  return error;
}

live('PLN-1: another program of that name, an older one and one that hangs are refused by what they say', async () => {
  const [other, older, hanging] = await Promise.all([
    refusalOf(['echo "kimi, a proxy for your editor"']),
    refusalOf(['echo 1.9.0']),
    refusalOf(['exec sleep 600']),
  ]);
  assert.equal([other.code, older.code, hanging.code], ['agent-missing', 'agent-too-old', 'agent-missing']);
  assert.match(other.message, 'did not report its version, so it is not the program that adapter kimi needs');
  assert.match(hanging.message, /did not report its version within \d+ s/);
  for (const { hints } of [other, older, hanging]) assert.match(hints[0] ?? '', 'npm install --global');
});

live('a wrapper whose program no cell shows is told what shows it', async () => {
  const wrapper = await refusalOf(['exec /opt/of-our-own/kimi "$@"']);
  assert.is(wrapper.code, 'agent-missing');
  assert.match(wrapper.hints[0] ?? '', 'sandbox: { read_paths: [FOLDER] }');
});

live('BUD-2 what a CLI says of its own way out of the cell is said of the model API', async () => {
  const { runner, request } = await openStandIn([
    'if [ "$1" = --version ]; then echo 2.1.0; exit; fi',
    'echo "can not reach $(grep -rhoE -m1 "http://127[.0-9]+:[0-9]+" "$HOME" | head -1)/v1" >&2; exit 1',
  ]);
  const { failure } = await (await runner.start(request({ adapter: 'kimi', model: 'kimi-k2.6' }), () => undefined))
    .outcome;
  const said = JSON.stringify(failure);
  assert.match(said, 'can not reach (the model API)', said);
  assert.not.match(said, '127.0.0.1');
});

test.run();
