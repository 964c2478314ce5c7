import { toMemoryDecision } from '../../core/admission/make-decisions.ts';
import { listMemoryEntries, renderMemoryForPlanner } from '../../core/memory/session-memory.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import { errorMessage } from '../../util/error-text.ts';
import { type RecordContext, viewSession } from '../record-changes.ts';
import { inform, type RunContext, warn } from '../run-context.ts';

/** Keeps what is settled in a session for later ones; once more changes nothing. A broken memory is a warning. */
export async function rememberSession(
  context: RecordContext & Pick<RunContext, 'memory'>,
  id: SessionId,
): Promise<void> {
  const { beads } = context.config;
  const { session, tasks } = await viewSession(context, id);
  if (session.state !== 'ended' && !beads.archive_after_wave) return;
  const entries = listMemoryEntries(session, tasks, { withFailures: beads.include_failure_notes });
  if (entries.length === 0) return;
  context.decided.record(entries.map(toMemoryDecision));
  await tolerate(context, 'this session was not remembered', () => context.memory.save(entries, context.gates.person));
}

/**
 * Recalls what earlier sessions left that may help with an objective, bounded; '' without any, or with a broken memory.
 * Entries of another clone are shown where the configuration allows it, and marked.
 */
export async function recallForPlanner(context: Remembering, objective: string): Promise<string> {
  const { memory_decay: decays, decay_policy: policy } = context.config.beads;
  const entries = await tolerate(context, 'the planner sees nothing of earlier sessions', () => context.memory.load());
  return renderMemoryForPlanner(filterMemory(context, entries ?? []), {
    objective,
    summarizeAfter: decays ? policy.summarize_after_sessions : Number.POSITIVE_INFINITY,
    preserveFailures: decays ? policy.preserve_failures_sessions : Number.POSITIVE_INFINITY,
    maxBytes: context.config.memory.max_bytes,
  });
}

type Remembering = Pick<RunContext, 'config' | 'memory' | 'events' | 'decided'>;

function filterMemory(
  { config, events, decided }: Remembering,
  entries: readonly MemoryEntry[],
): readonly MemoryEntry[] {
  decided.refresh();
  const isOurs = (entry: MemoryEntry): boolean => decided.has(toMemoryDecision(entry));
  if (config.memory.others)
    return entries.map((entry) => (isOurs(entry) ? entry : { ...entry, title: `${entry.title} [from another clone]` }));
  const ours = entries.filter(isOurs);
  if (ours.length < entries.length) {
    const left = `${entries.length - ours.length} of ${entries.length} entries`;
    const message = `Another clone wrote ${left} of memory, so planners do not see them. To show them, marked: memory.others: true`;
    inform({ events }, message);
  }
  return ours;
}

async function tolerate<T>(
  context: Pick<RunContext, 'memory' | 'events'>,
  loss: string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const reason = errorMessage(error);
    warn(context, `Memory (${context.memory.name}) can't be used, ${loss}: ${reason}`);
    return null;
  }
}
