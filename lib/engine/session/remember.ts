import { memoryEntries } from '../../core/memory/memory-entries.ts';
import { recallMemory } from '../../core/memory/recall-memory.ts';
import type { SessionId } from '../../domain/ids.ts';
import { viewSession } from '../record.ts';
import type { Workshop } from '../workshop.ts';

/** Keeps what is settled in a session for later ones; once more changes nothing. A broken memory is a warning. */
export async function remember(workshop: Workshop, id: SessionId): Promise<void> {
  const { beads } = workshop.config;
  const { session, tasks } = await viewSession(workshop, id);
  if (session.state !== 'ended' && !beads.archive_after_wave) return;
  const entries = memoryEntries(session, tasks, { withFailures: beads.include_failure_notes });
  if (entries.length === 0) return;
  await tolerate(workshop, 'nothing of this session was remembered', () =>
    workshop.memory.save(entries, workshop.gates.person),
  );
}

/** What earlier sessions left that may help with an objective, bounded; '' without any, or with a broken memory. */
export async function recall(workshop: Workshop, objective: string): Promise<string> {
  const { memory_decay: decays, decay_policy: policy } = workshop.config.beads;
  const entries = await tolerate(workshop, 'the planner is told nothing of earlier sessions', () =>
    workshop.memory.load(),
  );
  return recallMemory(entries ?? [], {
    objective,
    summarizeAfter: decays ? policy.summarize_after_sessions : Number.POSITIVE_INFINITY,
    preserveFailures: decays ? policy.preserve_failures_sessions : Number.POSITIVE_INFINITY,
    maxBytes: workshop.config.memory.max_bytes,
  });
}

async function tolerate<T>(workshop: Workshop, loss: string, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const message = `Memory (${workshop.memory.name}) can't be used, ${loss}: ${reason}`;
    workshop.events.emit({ event: 'notice', level: 'warning', message });
    return null;
  }
}
