import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../cell/run/agent-clis.ts';
import { isRecord, parseRecord } from '../../util/json.ts';
import { packageRoot } from '../../util/own-folders.ts';

/** The newest version of an agent CLI that the project's own tests passed with. */
export interface ProvenVersion {
  readonly version: string;
  /** When, `2026-11-22`. */
  readonly date: string;
  /** Proven properties, a few words each. */
  readonly proven: readonly string[];
  /** Roles it was seen to play through a whole session, and how: `planner: …`. */
  readonly roles: readonly string[];
}

/** The file that the tests write (`FLAME_UPDATE=1`, test/clis). */
export const provenFile = join('templates', 'proven-clis.json');

/** Reads proven versions by adapter, without those that the tests never ran. Throws what reading a file throws. */
export function readProvenVersions(): ReadonlyMap<string, ProvenVersion> {
  const rows = Object.entries(parseRecord(readFileSync(join(packageRoot(), provenFile), 'utf8')));
  return new Map(
    rows.flatMap(([name, row]): [string, ProvenVersion][] => {
      if (!isRecord(row) || typeof row.version !== 'string' || typeof row.date !== 'string') return [];
      const { version, date, proven, roles } = row;
      return [[name, { version, date, proven: textsOf(proven), roles: textsOf(roles) }]];
    }),
  );
}

function textsOf(value: unknown): readonly string[] {
  const all: readonly unknown[] = Array.isArray(value) ? value : [];
  return all.filter((one) => typeof one === 'string');
}

/** A warning about a version that the tests did not run with; null where it is no newer than theirs. */
export function describeUnproven(name: string, version: string, known: ProvenVersion): string | null {
  return compareVersions(version, known.version) > 0
    ? `${name} ${version} is newer than ${known.version}, the last version all was proven with (${known.date}). What the canary of each run proves holds for it too.`
    : null;
}
