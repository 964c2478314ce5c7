import { parentPort } from 'node:worker_threads';
import { findSecrets } from '../../policy/secrets/find-secrets.ts';
import type { SecretScanRequest } from '../post-check/scan-secrets.ts';

// Runs in a thread of its own, so that judging a large file keeps no other agent waiting.
parentPort?.on('message', ({ text, oldText, isBinary }: SecretScanRequest) => {
  parentPort?.postMessage(findSecrets(text, oldText, isBinary));
});
