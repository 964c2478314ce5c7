// The hook command inside a cell, of the agent CLI and of git: exit 0 lets the tool call or commit continue,
// exit 2 blocks it and gives the agent the reason on stderr. Every other exit code would let a tool call run,
// so everything unexpected ends in exit 2.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { askServer } from '../watcher/ask-server.ts';
import type { judgeAlone } from '../watcher/judge-alone.ts';
import { type Answer, answerTimeoutMs, blocked } from '../watcher/protocol.ts';
import { readAll, readHookInput } from '../watcher/read-hook-input.ts';

process.exitCode = 2;
process.on('uncaughtException', (error) => finish(blocked('watcher-failed', error.message)));
process.on('unhandledRejection', (error) => finish(blocked('watcher-failed', String(error))));
const patience = setTimeout(
  () => finish(blocked('watcher-failed', 'The watcher took too long.')),
  answerTimeoutMs,
);

const [mode = '', place = '', ...flags] = process.argv.slice(2);
judge().then(finish, (error: unknown) => finish(blocked('watcher-failed', String(error))));

async function judge(): Promise<Answer> {
  if (mode === '--socket' && flags.includes('--canary')) return askServer(place, { canary: true });
  if (mode === '--socket' && flags[0] === '--hook') {
    return askServer(place, { gitHook: flags[1] ?? '', text: await readAll(process.stdin) });
  }
  const call = await readHookInput(process.stdin);
  if (mode === '--socket') return askServer(place, { call }, () => patience.refresh());
  if (mode === '--policy') return loadJudge()(place, call, new Date());
  return blocked('watcher-failed', 'The watcher was started without --socket or --policy.');
}

function loadJudge(): typeof judgeAlone {
  return createRequire(__filename)(join(__dirname, 'judge.cjs')).judgeAlone;
}

function finish(decision: Answer): void {
  const { output } = decision;
  if (decision.decision === 'allow' && output !== undefined)
    return void process.stdout.write(output, (error) => process.exit(error ? 2 : 0));
  if (decision.decision === 'allow') process.exit(0);
  process.stderr.write(`${decision.details} [${decision.rule}]\n`, () => process.exit(2));
}
