import { randomBytes } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { countBlockedCallsByRule } from '../../cell/watcher/audit-log.ts';
import { computeStats, type SessionRecord } from '../../core/stats/compute-stats.ts';
import { configSchema } from '../../domain/config/config-schema.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { Snapshot, StateLogEntry } from '../../domain/ports/store-port.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import type { Stats } from '../../domain/view-models/stats-report.ts';
import { renderPrintableJsonLine } from '../../ui/text/printable-text.ts';
import type { Style } from '../../ui/text/style.ts';
import { errorMessage } from '../../util/error-text.ts';
import { groupBy } from '../../util/sort-and-group.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { readConfigIfSound } from '../context/read-config.ts';

const formats = ['text', 'json', 'prometheus', 'html'] as const;
type Format = (typeof formats)[number];

/** `git flame stats`: figures about a session or all of them, in a form for people, programs, Prometheus or a browser. */
export function run(args: CommandArgs<'stats'>, io: Io): Promise<number> {
  const format = formatOf(args);
  return withRepositoryState(args, io, async (reading) => {
    const { output } = reading;
    const stats = await collectStats(reading, args);
    const { output: file } = args.options;
    const text = await render(format, stats, output.style);
    if (file === null) {
      io.stdout.write(text);
      return 0;
    }
    await writeWhole(resolve(io.cwd, file), text);
    output.info(`Written to ${file}.`);
    return 0;
  });
}

function formatOf({ options, globals }: CommandArgs<'stats'>): Format {
  const name = options.format ?? (globals.json ? 'json' : 'text');
  const format = formats.find((known) => known === name);
  if (format !== undefined && (!globals.json || format === 'json')) return format;
  throw new FlameError({
    kind: 'usage',
    code: 'bad-format',
    message:
      format === undefined
        ? `There is no format ${JSON.stringify(name)}. The formats are ${formats.join(', ')}.`
        : `--json and --format ${format} contradict each other.`,
    hints: ['git flame stats -h'],
  });
}

/** Loads only the renderer in use. */
async function render(format: Format, stats: Stats, style: Style): Promise<string> {
  switch (format) {
    case 'json':
      return `${renderPrintableJsonLine(stats)}\n`;
    case 'prometheus':
      return (await import('../../ui/stats/render-prometheus.ts')).renderPrometheus(stats);
    case 'html':
      return (await import('../../ui/stats/render-stats-page.ts')).renderStatsPage(stats);
    case 'text':
      return `${(await import('../../ui/stats/render-stats.ts')).renderStats(stats, style)}\n`;
  }
}

/** Writes in one step, so that a collector never reads half of it. Throws FlameError `not-written`. */
async function writeWhole(path: string, text: string): Promise<void> {
  const making = `${path}.${randomBytes(4).toString('hex')}.new`;
  try {
    await writeFile(making, text);
    await rename(making, path);
  } catch (cause) {
    await rm(making, { force: true });
    throw new FlameError({
      kind: 'environment',
      code: 'not-written',
      message: `${path} can't be written: ${errorMessage(cause)}`,
      hints: ['git flame stats'],
      cause,
    });
  }
}

const tasksRef = 'refs/blueflame/tasks';

/** All figures about one session, or about every one, from the refs; the watcher's audits are this machine's own. */
async function collectStats(reading: ReadContext, args: CommandArgs<'stats'>): Promise<Stats> {
  const { store, git, selected } = reading;
  const snapshot = await store.snapshot();
  const picked = selected.pick(snapshot);
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
  log: readonly StateLogEntry[],
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
    for (const [rule, count] of countBlockedCallsByRule(commonDir, agent))
      counts.set(rule, (counts.get(rule) ?? 0) + count);
  }
  return counts;
}

/** The most workers at once; figures are shown even where the configuration can't be read. */
async function workerSlots(reading: ReadContext): Promise<number> {
  const config = await readConfigIfSound(reading, ({ message }) =>
    reading.output.warn(`${message} The utilization assumes the default number of workers.`),
  );
  return (config ?? configSchema.parse({})).concurrency.development;
}
