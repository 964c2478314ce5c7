import type { SessionId } from '../../domain/ids.ts';
import type { Trial } from '../../domain/ports/git-commits.ts';
import { isRecord } from '../../util/json.ts';
import type { Workshop } from '../workshop.ts';

// The rest of a conflict in thousands of files is counted when it is met.
const mostKept = 2_000;
const mostPaths = 100;

/** Reads the trials of other processes for a session; unreadable ones are made again. */
export async function recallTrials(
  { tried }: Pick<Workshop, 'tried'>,
  session: SessionId,
  trials: Map<string, Trial>,
): Promise<void> {
  const text = await tried.read(keyOf(session));
  if (text === null) return;
  try {
    for (const [key, kept] of JSON.parse(text)) {
      const trial = trialOf(kept);
      if (typeof key === 'string' && trial !== null) trials.set(key, trial);
    }
  } catch {
    // Another process was writing it, or an earlier version did.
  }
}

/** Stores the latest trials. A process that may not write there goes on without. */
export async function storeTrials(
  { tried }: Pick<Workshop, 'tried'>,
  session: SessionId,
  trials: ReadonlyMap<string, Trial>,
): Promise<void> {
  const latest = [...trials].slice(-mostKept).map(([key, trial]) => [key, shortened(trial)]);
  await tried.write(keyOf(session), JSON.stringify(latest)).catch(() => undefined);
}

/** null: none that this version knows. Read by each `status`, for which a library of schemas takes too long to load. */
function trialOf(kept: unknown): Trial | null {
  if (!isRecord(kept)) return null;
  const { kind, paths } = kept;
  if (kind === 'clean' || kind === 'unrelated') return { kind };
  const isConflict = kind === 'conflict' && Array.isArray(paths);
  return isConflict && paths.every((path) => typeof path === 'string') ? { kind, paths } : null;
}

function shortened(trial: Trial): Trial {
  return trial.kind === 'conflict' ? { ...trial, paths: trial.paths.slice(0, mostPaths) } : trial;
}

function keyOf(session: SessionId): string {
  return `merges tried ahead ${session}`;
}
