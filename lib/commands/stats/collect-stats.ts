import { blockedByRule } from '../../cell/watcher/audit-log.ts';
import { computeStats, type SessionRecord } from '../../core/stats/compute-stats.ts';
import { configSchema } from '../../domain/config/config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { LogEntry, Snapshot } from '../../domain/ports/store-port.ts';
import type { CommandArgs } from '../../domain/shown/command.ts';
import type { Stats } from '../../domain/shown/stats.ts';
import type { Session } from '../../domain/state/session.ts';
import type { Task } from '../../domain/state/task.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import { readConfig } from '../open/read-config.ts';
import type { Reading } from '../open/read-state.ts';

const tasksRef = 'refs/blueflame/tasks';

/** All figures about one session, or about every one, from the refs; the watcher's audits are this machine's own. */
export async function collectStats(reading: Reading, args: CommandArgs<'stats'>): Promise<Stats> {
  const { store, git, meant } = reading;
  const snapshot = await store.snapshot();
  const picked = meant.pick(snapshot);
  const shown = args.options.all ? snapshot.sessions : picked === null ? [] : [picked];
  const log = snapshot.sessions.length === 0 ? [] : await store.log({});
  const ofTasks = log.filter(({ ref }) => ref === tasksRef);
  const logs = groupBy(ofTasks, ({ trailers }) => trailers.Session ?? '');
  const archive = snapshot.sessions.some(isArchived) ? await store.archive() : snapshot;
  const all = snapshot.sessions.map((named) => {
    // The snapshot of an archived session holds only that it existed.
    const home = isArchived(named) ? archive : snapshot;
    const session = home.sessions.find(({ id }) => id === named.id) ?? named;
    const blocked = shown.includes(named) ? blockedIn(git.repository.commonDir, session, home) : new Map();
    return toRecord(home, session, logs.get(session.id) ?? [], blocked);
  });
  const ids = shown.map(({ id }) => id);
  const reported = all.filter(({ session }) => ids.includes(session.id));
  return computeStats({ reported, all, slots: await workerSlots(reading), now: new Date() });
}

function isArchived({ archived_at: at }: Session): boolean {
  return at !== undefined;
}

function toRecord(
  snapshot: Snapshot,
  session: Session,
  log: readonly LogEntry[],
  blocked: ReadonlyMap<string, number>,
): SessionRecord {
  const tasks = snapshot.tasksOf(session.id);
  const verdicts = snapshot.verdictsOf(session.id);
  const again = [...new Set(verdicts.map(({ commit }) => commit))]
    .map((commit) => snapshot.verificationsOn(commit))
    .filter((verifications) => verifications.length > 0);
  const same = again.filter((list) => list.every(({ differences }) => differences.length === 0)).length;
  return { session, tasks, log, verdicts, blocked, verified: { same, all: again.length } };
}

/** Counts the calls that the watcher blocked, by rule, for every agent that the session's notes name. */
function blockedIn(commonDir: string, session: Session, snapshot: Snapshot): ReadonlyMap<string, number> {
  const ofTask = ({ agent_id, history }: Task): readonly (string | null)[] => [
    agent_id,
    ...history.map((entry) => entry.agent_id),
  ];
  const named = [...session.agents.map(({ id }) => id), ...snapshot.tasksOf(session.id).flatMap(ofTask)];
  const counts = new Map<string, number>();
  for (const agent of new Set(named)) {
    if (agent === null) continue;
    for (const [rule, count] of blockedByRule(commonDir, agent))
      counts.set(rule, (counts.get(rule) ?? 0) + count);
  }
  return counts;
}

/** The most workers at once; figures are shown even where the configuration can't be read. */
async function workerSlots({ git, output, configFile }: Reading): Promise<number> {
  const root = git.repository.mainWorkTree;
  if (root === null) return configSchema.parse({}).concurrency.development;
  try {
    return (await readConfig(root, configFile)).config.concurrency.development;
  } catch (error) {
    if (!(error instanceof FlameError)) throw error;
    output.warn(`${error.message} The utilisation is that of the default number of workers.`);
    return configSchema.parse({}).concurrency.development;
  }
}
