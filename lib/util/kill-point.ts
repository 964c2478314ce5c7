import { appendFileSync } from 'node:fs';

// For the tests of sudden death alone; see "Kill points" in ARCHITECTURE.md.
const dieAt = process.env.FLAME_TEST_KILL_AT ?? '';
const log = process.env.FLAME_TEST_KILL_LOG ?? '';
let passed = 0;

/**
 * Marks a moment before, between or after durable steps, at which the process may be killed without harm. Does
 * nothing, unless FLAME_TEST_KILL_AT asks to die at the nth such moment, or at the first that is called so;
 * FLAME_TEST_KILL_LOG=file lists them.
 */
export function killPoint(step: string): void {
  if (dieAt === '' && log === '') return;
  passed += 1;
  if (log !== '') appendFileSync(log, `${passed} ${step}\n`);
  if (dieAt === String(passed) || dieAt === step) process.kill(process.pid, 'SIGKILL');
}
