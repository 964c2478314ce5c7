import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { findSecrets, type SecretFinding } from '../../policy/secrets/find-secrets.ts';
import { packageRoot } from '../../util/user-folders.ts';
import { stoppedUnjudgedError } from '../graceful-stop.ts';

interface ScannedContent {
  readonly blob: ObjectId;
  /** Content it was changed from; its lines don't count. */
  readonly old: ObjectId | null;
  readonly isBinary: boolean;
}

/** Looks for credentials in contents, in each one once, however many paths have it. */
export interface SecretScanner {
  /** `read` gives the text of an object; null: it is none. */
  scan(content: ScannedContent, read: (oid: ObjectId) => Promise<string | null>): Promise<readonly SecretFinding[]>;
}

/** Characters that are looked at in this thread: a worker takes longer to start than that takes. */
const littleText = 256 * 1024;
/** Time limit for one content, in milliseconds. */
const patienceMs = 120_000;

/** A scanner for one judgement; what is more than a little is looked at by another thread. */
export function createSecretScanner(signal: AbortSignal | undefined): SecretScanner {
  const known = new Map<string, Promise<readonly SecretFinding[]>>();
  let scanned = 0;
  const scanOnce = async (
    { blob, old, isBinary }: ScannedContent,
    read: (oid: ObjectId) => Promise<string | null>,
  ): Promise<readonly SecretFinding[]> => {
    const text = await read(blob);
    const oldText = old === null ? null : await read(old);
    if (text === null) return [];
    scanned += text.length + (oldText?.length ?? 0);
    if (scanned <= littleText) return findSecrets(text, oldText, isBinary);
    return askWorker({ text, oldText, isBinary }, signal);
  };
  return {
    scan: (content, read) => {
      const key = `${content.blob} ${content.old} ${content.isBinary}`;
      const findings = known.get(key) ?? scanOnce(content, read);
      known.set(key, findings);
      return findings;
    },
  };
}

/** Request to the thread, and its answer. */
export interface SecretScanRequest {
  readonly text: string;
  readonly oldText: string | null;
  readonly isBinary: boolean;
}

let queue: Promise<unknown> = Promise.resolve();
let worker: Worker | null = null;

/** One content after another: together they may be larger than the memory. */
function askWorker(question: SecretScanRequest, signal: AbortSignal | undefined): Promise<readonly SecretFinding[]> {
  const answer = queue.then(() => scanInWorker(question, signal));
  queue = answer.catch(() => undefined);
  return answer;
}

async function scanInWorker(
  question: SecretScanRequest,
  stop: AbortSignal | undefined,
): Promise<readonly SecretFinding[]> {
  if (stop?.aborted) throw stoppedUnjudgedError();
  const running = worker ?? new Worker(join(packageRoot(), 'dist', 'scanner.cjs'));
  worker = running;
  running.ref();
  const ended = new AbortController();
  const { signal } = ended;
  try {
    running.postMessage(question);
    return await Promise.race([
      once(running, 'message', { signal }).then(([findings]: readonly SecretFinding[][]) => findings ?? []),
      ...(stop === undefined
        ? []
        : [once(stop, 'abort', { signal }).then(() => Promise.reject(stoppedUnjudgedError()))]),
      wait(patienceMs, null, { signal }).then(() => Promise.reject(tookTooLong(question.text.length))),
    ]);
  } catch (error) {
    worker = null;
    void running.terminate();
    throw error;
  } finally {
    ended.abort();
    // Nothing waits for it: the program may end.
    running.unref();
  }
}

function tookTooLong(length: number): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'cell-scan-ended',
    message: `The search for credentials in a file of ${length} bytes took longer than ${patienceMs / 1_000} s.`,
  });
}
