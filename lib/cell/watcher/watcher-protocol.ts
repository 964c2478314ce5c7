import { connect } from 'node:net';
import type { CallDecision, ToolCall } from '../../domain/agent-policy.ts';
import type { CallHookFacts } from '../../domain/ports/call-facts.ts';
import { isJsonRecord } from '../../util/json.ts';

// A request is a head `FLAG HOOK LENGTH` and that many bytes; it is answered `allow`, or `block`, rule and details in
// lines, or `print LENGTH` and that many bytes, which the client prints when it allows the call. Lines `wait` may come
// before any answer. Then the connection ends.

/** Larger calls are blocked: no file an agent may write is near this size. */
export const largestCallBytes = 16 * 1024 * 1024;

/** Before an answer, as often as its client is to wait once more as long: a person is asked. */
export const keepWaitingLine = 'wait\n';

/** How long a client waits for an answer before it blocks the call. */
export const watcherAnswerTimeoutMs = 5_000;

interface PlainRequest {
  readonly flag: '' | '--canary' | '--hook';
  /** Of a git hook; '' otherwise. */
  readonly name: string;
  readonly text: string;
}

/** A client's request: a call as the hook reported it, a git hook's input, or the sign of accepted agent settings. */
export type WatcherRequest = { readonly call: unknown } | GitHookRequest | { readonly canary: true };

export interface GitHookRequest {
  readonly gitHook: string;
  readonly text: string;
}

/** A request is longer than its call, with what a git hook was given as a string in it. */
export const largestRequestBytes = 2 * largestCallBytes + 64;

/** The answer that a client obeys. */
export interface WatcherAnswer extends CallDecision {
  /** Printed where it allows the call: the CLI carries out this text instead. */
  readonly output?: string;
}

/** A call that can't be judged. */
export function blockUnjudgedCall(rule: string, details: string): CallDecision {
  return { decision: 'block', rule, details };
}

/** Reads what a hook reports about a tool call; null if it isn't one. */
export function parseToolCall(value: unknown): ToolCall | null {
  if (!isJsonRecord(value)) return null;
  const { tool_name, tool_input, cwd } = value;
  if (typeof tool_name !== 'string' || tool_name === '' || typeof cwd !== 'string') return null;
  return isJsonRecord(tool_input) ? { tool_name, tool_input, cwd } : null;
}

/** Calls in the form of the policy itself, which no CLI replaces. */
export const plainCallFacts: Pick<CallHookFacts, 'read' | 'replace' | 'asks'> = {
  read: (reported) => {
    const call = parseToolCall(reported);
    return call === null ? null : { id: null, name: call.tool_name, input: call.tool_input, does: [call] };
  },
  replace: () => null,
  asks: null,
};

/** Renders a client's request; `flag` names the kind of `text`, `''` the call that a CLI's hook reported. */
export function encodeWatcherRequest({ flag, name, text }: PlainRequest): string {
  return `${flag} ${name} ${Buffer.byteLength(text)}\n${text}`;
}

/** How many bytes a request has, as its beginning says, in which a newline has come. */
export function requestLength(beginning: Buffer): number {
  const end = beginning.indexOf(10) + 1;
  return end + Number(head.exec(beginning.toString('latin1', 0, end))?.groups?.length ?? 0);
}

/** Reads a whole request; null when it's none. Throws a SyntaxError when the call in it isn't JSON. */
export function parseRequest(bytes: Buffer): WatcherRequest | null {
  const end = bytes.indexOf(10) + 1;
  const { flag, name = '' } = head.exec(bytes.toString('latin1', 0, end))?.groups ?? {};
  if (flag === '--canary') return { canary: true };
  const text = bytes.toString('utf8', end);
  if (flag === '--hook') return { gitHook: name, text };
  return flag === '' ? { call: JSON.parse(text) } : null;
}

const head = /^(?<flag>|--canary|--hook) (?<name>[a-z-]*) (?<length>\d{1,9})\n$/;

export function encodeDecision({ decision, rule, details, output }: WatcherAnswer): string {
  if (decision !== 'allow') return `block\n${rule}\n${details}`;
  // With its length: half of it would be no answer to the CLI, and the call would run as it is.
  return output === undefined ? 'allow\n' : `print ${Buffer.byteLength(output)}\n${output}`;
}

/** Reads a whole answer; null: it isn't one, or was cut off where it would allow the call. */
function parseAnswer(text: string): WatcherAnswer | null {
  const [word = '', rule = '', ...details] = text.split('\n');
  if (word === 'block') return blockUnjudgedCall(rule, details.join('\n'));
  const allowed = { decision: 'allow', rule: 'allowed', details: '' } as const;
  if (text === 'allow\n') return allowed;
  const output = text.slice(word.length + 1);
  return word === `print ${Buffer.byteLength(output)}` ? { ...allowed, output } : null;
}

/**
 * Asks the decision server; a server that is gone or ends without an answer blocks. Rejects on nothing. `onWait` is called
 * as often as the server says that a person is asked.
 */
export function askDecisionServer(
  socketPath: string,
  request: Parameters<typeof encodeWatcherRequest>[0],
  onWait: () => void,
): Promise<WatcherAnswer> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(socketPath, () => socket.write(encodeWatcherRequest(request)));
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      answer += chunk;
      for (; answer.startsWith(keepWaitingLine); answer = answer.slice(keepWaitingLine.length)) onWait();
    });
    socket.on('error', (error) => resolve(unanswered(error.message)));
    socket.on('close', () => resolve(parseAnswer(answer) ?? unanswered('its answer was incomplete')));
  });
}

function unanswered(why: string): WatcherAnswer {
  return blockUnjudgedCall('watcher-failed', `The orchestrator did not answer (${why}). Stop working.`);
}
