import type { SeenBreach } from '../../domain/ports/sharing-port.ts';
import { type BreachKind, isProof } from '../../domain/state/breach.ts';
import { describeAuthor } from '../../domain/state/describe-author.ts';
import { formatCount } from '../../util/format-amount.ts';
import type { ToldBreaches } from '../run-memory.ts';
import type { Workshop } from '../workshop.ts';

// Whoever pushes thousands of such steps fills no terminal by it, and hides nobody else behind them.
const mostOfKind = 5;
const mostKeys = 20;

/**
 * Names the first of each kind, and the first proof against each key; the rest is counted, and said in one line each time
 * they have become twice as many.
 */
export function tellBreaches(
  { events, run }: Pick<Workshop, 'events' | 'run'>,
  fresh: readonly SeenBreach[],
): void {
  const told = run.toldBreaches;
  for (const one of fresh)
    if (isWorthNaming(told, one)) tell({ events }, one);
    else add(told.counted, one.breach.kind);
  const count = [...told.counted.values()].reduce((sum, of) => sum + of, 0);
  if (count === 0 || count < 2 * told.saidCount) return;
  told.saidCount = count;
  const kinds = [...told.counted].map(([kind, of]) => `${kind}: ${of}`).join(', ');
  const message = `${formatCount(count, 'more step')} at the remote broke the rules (${kinds}). That counts for nothing here. What is kept of them: git flame machines --breaches`;
  events.emit({ event: 'notice', level: 'warning', message });
}

function isWorthNaming({ kinds, keys }: ToldBreaches, { breach }: SeenBreach): boolean {
  const { kind, key } = breach;
  const isFirst = key !== null && isProof(breach) && !keys.has(key) && keys.size < mostKeys;
  if (isFirst) keys.add(key);
  if (!isFirst && (kinds.get(kind) ?? 0) >= mostOfKind) return false;
  add(kinds, kind);
  return true;
}

function add(counts: Map<BreachKind, number>, kind: BreachKind): void {
  counts.set(kind, (counts.get(kind) ?? 0) + 1);
}

function tell({ events }: Pick<Workshop, 'events'>, { breach }: SeenBreach): void {
  const { kind, task, machine, by, key, commit, what } = breach;
  const about = task ?? (kind === 'sign' ? (machine ?? 'a machine') : 'session');
  events.emit({
    ...{ event: 'machine-breach', kind, task, machine, by, key, commit },
    message: `${about}: ${what} (${describeAuthor(breach)}). ${whatFollows(kind)} What is known of it: git flame machines`,
  });
}

function whatFollows(kind: BreachKind): string {
  switch (kind) {
    case 'release':
      return 'Who had it takes it again, unless another one was quicker.';
    case 'lead':
      return "Who leads is a person's word: git flame run --remote --take-over";
    case 'damage':
      return 'It is mended by: git flame doctor --repair';
    default:
      return 'That counts for nothing here.';
  }
}
