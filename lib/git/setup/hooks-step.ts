import { chmodSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HookStep } from './hooks-plan.ts';

/** Does one change in a folder of hooks; a hook is replaced in one step. */
export function takeStep(dir: string, step: HookStep): void {
  if (step.kind === 'remove') {
    rmSync(join(dir, step.name), { force: true });
    return;
  }
  if (step.kind === 'rename') {
    renameSync(join(dir, step.from), join(dir, step.to));
    return;
  }
  const fresh = join(dir, `${step.name}.flame-new`);
  writeFileSync(fresh, step.text);
  chmodSync(fresh, 0o755);
  renameSync(fresh, join(dir, step.name));
}
