import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { streamAgentActivity } from '../../../lib/commands/context/agent-stream.ts';
import type { BoardStreamLine } from '../../../lib/domain/view-models/board-view.ts';
import { makeTempDir } from '../../support/repo.ts';

const agent = 'worker-1a2b3c4d';

/** The whole stream of an agent that has ended. */
async function read(
  stream: string | null,
  audit: readonly object[] = [],
): Promise<{ readonly isThere: boolean; readonly lines: readonly BoardStreamLine[] }> {
  const commonDir = makeTempDir('flame-stream');
  const logs = join(commonDir, 'blueflame', 'logs');
  mkdirSync(logs, { recursive: true });
  if (stream !== null) writeFileSync(join(logs, `${agent}.stream.jsonl`), stream);
  for (const line of audit) appendFileSync(join(logs, `${agent}.audit.jsonl`), `${JSON.stringify(line)}\n`);
  const lines: BoardStreamLine[] = [];
  const { signal } = new AbortController();
  const isThere = await streamAgentActivity(commonDir, agent, {
    hear: (more) => lines.push(...more),
    signal,
  });
  return { isThere, lines };
}

test('DSK-1: a line of 330 kB is cut and said to be, and what comes after it is there', async () => {
  const { lines } = await read(`${'é'.repeat(330_000)}\nafter\nwithout an end`);
  assert.is(lines.length, 3);
  assert.ok(lines[0]!.text.length < 2_100);
  assert.match(lines[0]!.text, / … 328000 more characters$/);
  assert.equal(lines.slice(1), [
    { kind: 'said', text: 'after' },
    { kind: 'said', text: 'without an end' },
  ]);
});

test('DSK-1: a call that was blocked is marked below where it was made', async () => {
  const print = (content: unknown): string => `${JSON.stringify({ type: 'assistant', message: { content } })}\n`;
  const stream =
    print([{ type: 'tool_use', id: '1', name: 'Bash', input: { command: 'rm -rf test' } }]) +
    print([{ type: 'text', text: 'Then not.' }]);
  const judged = { timestamp: '', agent_id: agent, tool: 'Bash', target: 'rm -rf test', decision: 'block' };
  const { lines } = await read(stream, [{ ...judged, rule: 'path-scope', details: 'not yours' }]);
  assert.equal(lines, [
    { kind: 'call', text: 'Bash rm -rf test' },
    { kind: 'blocked', text: 'Bash rm -rf test: path-scope, not yours' },
    { kind: 'said', text: 'Then not.' },
  ]);
});

test('of a long stream the end is shown, with a mark; of one of many megabytes the beginning is not read', async () => {
  const many = await read(Array.from({ length: 5_000 }, (_, index) => `line ${index}\n`).join(''));
  assert.is(many.lines.length, 401);
  assert.is(many.lines[0]!.kind, 'gap');
  assert.is(many.lines.at(-1)!.text, 'line 4999');
  const large = await read(`${'x'.repeat(20_000_000)}\nthe end\n`);
  assert.equal(
    large.lines.map(({ kind }) => kind),
    ['gap', 'said', 'said'],
  );
  assert.is(large.lines.at(-1)!.text, 'the end');
});

test('an agent that said nothing, and one that never was, are told apart', async () => {
  assert.equal(await read(''), { isThere: true, lines: [] });
  assert.equal(await read(null), { isThere: false, lines: [] });
});

test.run();
