import { adaptiveLimit } from '../../core/schedule/held-back.ts';
import { tellOnce } from '../tell-once.ts';
import type { Workshop } from '../workshop.ts';

/** Computes how many agents may run in all: as configured, or fewer where memory is short. */
export function agentLimit(workshop: Workshop, running: number): number {
  const { development, adaptive, adaptive_min_ram_per_agent_mb: perAgent } = workshop.config.concurrency;
  if (!adaptive) return development;
  const freeMb = workshop.machine.freeMemoryMb();
  // If all of them find room, the memory of running ones doesn't matter: finding it out takes a while.
  if (freeMb >= development * perAgent) return development;
  // One that is about to start has taken nothing yet.
  const known = workshop.agents.usedMemoryMb();
  const usedMb = Array.from({ length: running }, (_, at) => known[at] ?? 0);
  const { limit, isReduced } = adaptiveLimit({
    configured: development,
    freeMb,
    minPerAgentMb: perAgent,
    usedMb,
  });
  if (isReduced) {
    const message = `Only ${limit} of ${development} agents at once: ${Math.round(freeMb)} MB of memory are free, ${perAgent} MB each are wanted.`;
    tellOnce(workshop, message, { key: `fewer than ${development} agents` });
  }
  return limit;
}
