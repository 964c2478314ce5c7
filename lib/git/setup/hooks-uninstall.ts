import { existsSync, readdirSync, rmdirSync } from 'node:fs';
import { findHooks } from './hooks-found.ts';
import { hooksDir } from './hooks-place.ts';
import { type HookStep, planRemoval } from './hooks-plan.ts';
import { takeStep } from './hooks-step.ts';
import { ownHooks } from './hooks-texts.ts';
import type { HooksPlace } from './setup-record.ts';

/** What was removed, and the files that stay because they were changed since; one line each. */
export interface Removal {
  readonly done: readonly string[];
  readonly left: readonly string[];
}

/** Takes the installed hooks away and puts back what was there before, byte for byte. */
export function removeHooks(commonDir: string, place: HooksPlace): Removal {
  const dir = hooksDir(commonDir, place);
  const { steps, ...removal } = planAll(commonDir, place);
  for (const step of steps) takeStep(dir, step);
  if (place.madeDir && existsSync(dir) && readdirSync(dir).length === 0) rmdirSync(dir);
  return removal;
}

/** Plans what removeHooks does. */
export function planHooksRemoval(commonDir: string, place: HooksPlace): Removal {
  const { done, left } = planAll(commonDir, place);
  return { done, left };
}

function planAll(commonDir: string, place: HooksPlace): Removal & { readonly steps: readonly HookStep[] } {
  const dir = hooksDir(commonDir, place);
  const isUsual = place.kind === 'usual';
  const label = isUsual ? 'hooks' : 'blueflame-init/hooks';
  const names = isUsual ? ownHooks : existsSync(dir) ? readdirSync(dir) : [];
  const plans = findHooks(dir, names).map((files) => ({ name: files.name, ...planRemoval(files) }));
  const going = plans.filter(({ steps }) => steps.length > 0);
  // Hooks of others in our own folder have no step: none of them is ours.
  const strangers = plans.filter(({ steps, problems }) => !isUsual && steps.length + problems.length === 0);
  return {
    steps: going.flatMap(({ steps }) => steps),
    done: isUsual
      ? going.map(({ name, steps }) => `${label}/${name}${tail(steps)}`)
      : going.length > 0
        ? [label]
        : [],
    left: [
      ...plans.flatMap(({ problems }) => problems.map((problem) => `${label}/${problem}`)),
      ...strangers.map(({ name }) => `${label}/${name} is not ours, so it stays`),
    ],
  };
}

function tail(steps: readonly HookStep[]): string {
  return steps.some(({ kind }) => kind === 'rename') ? ': what was there before is back' : '';
}
