import { memoryDecision } from '../../core/admission/decisions.ts';
import { memoryEntries, recallMemory } from '../../core/memory/session-memory.ts';
import type { SessionId } from '../../domain/ids.ts';
import type { MemoryEntry } from '../../domain/state/memory.ts';
import { type Recorder, viewSession } from '../record.ts';
import type { Workshop } from '../run-context.ts';

/** Keeps what is settled in a session for later ones; once more changes nothing. A broken memory is a warning. */
export async function remember(workshop: Recorder & Pick<Workshop, 'memory'>, id: SessionId): Promise<void> {
  const { beads } = workshop.config;
  const { session, tasks } = await viewSession(workshop, id);
  if (session.state !== 'ended' && !beads.archive_after_wave) return;
  const entries = memoryEntries(session, tasks, { withFailures: beads.include_failure_notes });
  if (entries.length === 0) return;
  workshop.decided.record(entries.map(memoryDecision));
  await tolerate(workshop, 'nothing of this session was remembered', () =>
    workshop.memory.save(entries, workshop.gates.person),
  );
}

/**
 * Recalls what earlier sessions left that may help with an objective, bounded; '' without any, or with a broken memory.
 * Entries of another clone are shown where the configuration allows it, and marked.
 */
export async function recall(workshop: Remembering, objective: string): Promise<string> {
  const { memory_decay: decays, decay_policy: policy } = workshop.config.beads;
  const entries = await tolerate(workshop, 'the planner learns nothing of earlier sessions', () =>
    workshop.memory.load(),
  );
  return recallMemory(heedMemory(workshop, entries ?? []), {
    objective,
    summarizeAfter: decays ? policy.summarize_after_sessions : Number.POSITIVE_INFINITY,
    preserveFailures: decays ? policy.preserve_failures_sessions : Number.POSITIVE_INFINITY,
    maxBytes: workshop.config.memory.max_bytes,
  });
}

type Remembering = Pick<Workshop, 'config' | 'memory' | 'events' | 'decided'>;

function heedMemory(
  { config, events, decided }: Remembering,
  entries: readonly MemoryEntry[],
): readonly MemoryEntry[] {
  decided.refresh();
  const isOurs = (entry: MemoryEntry): boolean => decided.has(memoryDecision(entry));
  if (config.memory.others)
    return entries.map((entry) =>
      isOurs(entry) ? entry : { ...entry, title: `${entry.title} [the word of another clone]` },
    );
  const ours = entries.filter(isOurs);
  if (ours.length < entries.length) {
    const left = `${entries.length - ours.length} of ${entries.length} entries`;
    const message = `Another clone wrote ${left} of memory; planners are told them with memory.others: true, marked.`;
    events.emit({ event: 'notice', level: 'info', message });
  }
  return ours;
}

async function tolerate<T>(
  workshop: Pick<Workshop, 'memory' | 'events'>,
  loss: string,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Memory (${workshop.memory.name}) can't be used, ${loss}: ${reason}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
    return null;
  }
}
