import * as z from 'zod';
import type { SessionId } from '../../domain/ids.ts';
import type { Trial } from '../../domain/ports/git-trials.ts';
import type { Workshop } from '../workshop.ts';

const trialSchema: z.ZodType<Trial> = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('clean') }),
  z.object({ kind: z.literal('conflict'), paths: z.array(z.string()) }),
  z.object({ kind: z.literal('unrelated') }),
]);
const keptSchema = z.array(z.tuple([z.string(), trialSchema]));

// Of a conflict in thousands of files the rest is counted when it is met.
const mostKept = 2_000;
const mostPaths = 100;

/** What other processes have tried of a session; what can't be read is tried again. */
export async function recallTrials(
  { tried }: Pick<Workshop, 'tried'>,
  session: SessionId,
  trials: Map<string, Trial>,
): Promise<void> {
  const text = await tried.read(keyOf(session));
  if (text === null) return;
  try {
    for (const [key, trial] of keptSchema.parse(JSON.parse(text))) trials.set(key, trial);
  } catch {
    // Another process was writing it, or an earlier version did.
  }
}

/** Notes what was tried, the latest. Whoever may not write there goes without. */
export async function storeTrials(
  { tried }: Pick<Workshop, 'tried'>,
  session: SessionId,
  trials: ReadonlyMap<string, Trial>,
): Promise<void> {
  const latest = [...trials].slice(-mostKept).map(([key, trial]) => [key, shortened(trial)]);
  await tried.write(keyOf(session), JSON.stringify(latest)).catch(() => undefined);
}

function shortened(trial: Trial): Trial {
  return trial.kind === 'conflict' ? { ...trial, paths: trial.paths.slice(0, mostPaths) } : trial;
}

function keyOf(session: SessionId): string {
  return `merges tried ahead ${session}`;
}
