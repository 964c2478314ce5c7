// The hook command inside a cell, of the agent CLI and of git: exit 0 lets the tool call or commit continue,
// exit 2 blocks it and gives the agent the reason on stderr. Every other exit code would let a tool call run,
// so everything unexpected ends in exit 2.
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

const [socket = '', flag, name = ''] = process.argv.slice(2);
judge().then(finish, (error: unknown) => finish(blockUnjudgedCall('watcher-failed', String(error))));

async function judge(): Promise<WatcherAnswer> {
  const text = flag === '--canary' ? '' : await readAll(process.stdin);
  const known = flag === '--canary' || flag === '--hook' ? flag : '';
  return askDecisionServer(socket, { flag: known, name, text }, () => patience.refresh());
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

function finish(decision: WatcherAnswer): void {
  const { output } = decision;
  if (decision.decision === 'allow' && output !== undefined)
    return void process.stdout.write(output, (error) => process.exit(error ? 2 : 0));
  if (decision.decision === 'allow') process.exit(0);
  process.stderr.write(`${decision.details} [${decision.rule}]\n`, () => process.exit(2));
}
