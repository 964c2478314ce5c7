// The hook command inside a cell, of the agent CLI and of git: exit 0 lets the tool call or commit continue,
// exit 2 blocks it and gives the agent the reason on stderr. Every other exit code would let a tool call run,
// so everything unexpected ends in exit 2.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { judgeCallByPolicyFile } from '../watcher/judge-by-policy-file.ts';
import {
  askDecisionServer,
  blockUnjudgedCall,
  largestCallBytes,
  type WatcherAnswer,
  watcherAnswerTimeoutMs,
} from '../watcher/watcher-protocol.ts';

process.exitCode = 2;
process.on('uncaughtException', (error) => finish(blockUnjudgedCall('watcher-failed', error.message)));
process.on('unhandledRejection', (error) => finish(blockUnjudgedCall('watcher-failed', String(error))));
const patience = setTimeout(
  () => finish(blockUnjudgedCall('watcher-failed', 'The watcher took too long.')),
  watcherAnswerTimeoutMs,
);

const [mode = '', place = '', ...flags] = process.argv.slice(2);
judge().then(finish, (error: unknown) => finish(blockUnjudgedCall('watcher-failed', String(error))));

async function judge(): Promise<WatcherAnswer> {
  const [flag, name = ''] = flags;
  const text = flag === '--canary' ? '' : await readAll(process.stdin);
  if (mode === '--policy') return loadJudge()(place, JSON.parse(text), new Date());
  if (mode !== '--socket')
    return blockUnjudgedCall('watcher-failed', 'The watcher was started without --socket or --policy.');
  const known = flag === '--canary' || flag === '--hook' ? flag : '';
  return askDecisionServer(place, { flag: known, name, text }, () => patience.refresh());
}

/** Reads a stream of text to its end. Rejects when it is too large. */
async function readAll(stream: AsyncIterable<Buffer | string>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > largestCallBytes) throw new Error('The call is larger than 16 MB. Write smaller files.');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString();
}

function loadJudge(): typeof judgeCallByPolicyFile {
  return createRequire(__filename)(join(__dirname, 'judge.cjs')).judgeAlone;
}

function finish(decision: WatcherAnswer): void {
  const { output } = decision;
  if (decision.decision === 'allow' && output !== undefined)
    return void process.stdout.write(output, (error) => process.exit(error ? 2 : 0));
  if (decision.decision === 'allow') process.exit(0);
  process.stderr.write(`${decision.details} [${decision.rule}]\n`, () => process.exit(2));
}
