import { appendFileSync } from 'node:fs';

// For the tests of sudden death alone; see "Kill points" in ARCHITECTURE.md.
const dieAt = process.env.FLAME_TEST_KILL_AT ?? '';
// `/refs done: \S+two$/`: the first that it matches.
const dieOn = /^\/(.+)\/$/s.exec(dieAt)?.[1];
const log = process.env.FLAME_TEST_KILL_LOG ?? '';
let passed = 0;

/**
 * Marks a moment before, between or after durable steps, at which the process may be killed without harm. Does
 * nothing, unless FLAME_TEST_KILL_AT asks to die at the nth such moment, at the first that is called so, or at the first
 * that a pattern between slashes matches; FLAME_TEST_KILL_LOG=file lists them.
 */
export function killPoint(step: string): void {
  if (dieAt === '' && log === '') return;
  passed += 1;
  if (log !== '') appendFileSync(log, `${passed} ${step}\n`);
  const isHere = dieAt === String(passed) || dieAt === step || (dieOn !== undefined && new RegExp(dieOn).test(step));
  if (isHere) process.kill(process.pid, 'SIGKILL');
}
