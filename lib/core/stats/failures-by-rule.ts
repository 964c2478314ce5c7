import type { LogEntry } from '../../domain/ports/store-port.ts';
import type { FailureCount, FailureSource } from '../../domain/shown/stats.ts';
import { failureSources } from '../../domain/shown/stats.ts';
import type { HistoryEntry, Task } from '../../domain/state/task.ts';
import type { Verdict } from '../../domain/state/verdict.ts';

interface FailureFacts {
  readonly tasks: readonly Task[];
  readonly log: readonly LogEntry[];
  readonly verdicts: readonly Verdict[];
  /** Blocked calls of this session's agents by rule, as far as this machine has their audits. */
  readonly blocked: ReadonlyMap<string, number>;
  /** Tasks whose evidence came out otherwise when it was checked again. */
  readonly doubtful: number;
}

/** Everything that was refused or went wrong, by where it was found and what it broke; the most frequent first. */
export function failuresByRule(facts: FailureFacts): readonly FailureCount[] {
  const counts = new Map<string, number>();
  const add = (source: FailureSource, rule: string, count = 1): void => {
    const key = `${source}\n${rule}`;
    counts.set(key, (counts.get(key) ?? 0) + count);
  };
  for (const [rule, count] of facts.blocked) add('watcher', rule, count);
  for (const entry of facts.log) for (const { source, rule } of failureIn(entry)) add(source, rule);
  for (const { status, by, diagnostics } of facts.verdicts) {
    for (const run of diagnostics) if (run.exit_code !== 0) add('diagnostic', run.command);
    if (status === 'fail' && by !== 'diagnostics') add('verdict', 'failed by a validator');
  }
  for (const result of facts.tasks.flatMap(({ history }) => history.map(resultOf))) {
    if (result === 'conflict') add('merge', 'conflict');
    if (result === 'rejected') add('review', 'rejected');
  }
  if (facts.doubtful > 0) add('evidence', 'not the same when checked again', facts.doubtful);
  return [...counts].map(([key, count]) => ({ ...split(key), count })).sort(inOrder);
}

/** Why an attempt failed, by the commit that recorded it. */
function failureIn({ trailers, subject }: LogEntry): readonly Omit<FailureCount, 'count'>[] {
  if (trailers.Transition?.endsWith(' -> failed') !== true) return [];
  // Commits of earlier versions say it in their subject alone.
  const kind = trailers.Failure ?? /-> failed \(([a-z-]+)\)/.exec(subject)?.[1] ?? 'unknown';
  if (kind !== 'violation') return [{ source: 'agent', rule: kind }];
  const rules = trailers.Rule?.split(', ') ?? ['violation'];
  return rules.map((rule) => ({ source: 'post-check', rule }));
}

/** Old entries are one line, which begins with what became of the attempt. */
function resultOf({ result, notes }: HistoryEntry): string {
  return result === 'summary' ? (notes.split(':')[0] ?? '') : result;
}

function split(key: string): Omit<FailureCount, 'count'> {
  const at = key.indexOf('\n');
  const source = failureSources.find((known) => known === key.slice(0, at)) ?? 'agent';
  return { source, rule: key.slice(at + 1) };
}

function inOrder(a: FailureCount, b: FailureCount): number {
  const bySource = failureSources.indexOf(a.source) - failureSources.indexOf(b.source);
  return b.count - a.count || bySource || (a.rule < b.rule ? -1 : 1);
}
