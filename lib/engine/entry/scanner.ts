import { parentPort } from 'node:worker_threads';
import { findSecrets } from '../../policy/secrets/secrets.ts';
import type { ScanQuestion } from '../judge/scan-secrets.ts';

// A thread of its own: whoever judges a large file keeps nobody else waiting.
parentPort?.on('message', ({ text, oldText, isBinary }: ScanQuestion) => {
  parentPort?.postMessage(findSecrets(text, oldText, isBinary));
});
