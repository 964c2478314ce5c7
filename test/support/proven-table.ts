import { readFileSync, writeFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { provenFile, readProvenVersions } from '../../lib/commands/doctor/examine-programs.ts';
import { isJsonRecord, type JsonRecord } from '../../lib/util/json.ts';
import type { HookedName } from './cli-hands.ts';

/** What each role was seen to do with a CLI in a whole session, to what landed. */
const shown = {
  planner: 'an answer without a plan sent back once, the plan approved, worked on, landed',
  worker: 'what is not its task and what nobody allowed blocked, the rest landed',
  validator: 'its verdict landed with the work',
  merger: 'a conflict solved, landed',
  queen: 'led to what landed, by our tools alone',
} as const;
type ShownRole = keyof typeof shown;
export const shownRoles = Object.keys(shown) as readonly ShownRole[];

/**
 * Holds a role that a session was seen through with against the CLI's row of the table of what is proven; with
 * FLAME_UPDATE=1 it writes it there. To be called at the end of the test.
 */
export function provesRole(cli: HookedName, role: ShownRole): void {
  const line = `${role}: ${shown[role]}`;
  const roles = (): readonly string[] => readProvenVersions().get(cli)?.roles ?? [];
  if (process.env.FLAME_UPDATE === '1') {
    const others = roles().filter((one) => !one.startsWith(`${role}: `));
    updateRow(cli, { roles: [...others, line].sort() });
  }
  assert.ok(roles().includes(line), `${provenFile}, ${cli}: ${line}\nFLAME_UPDATE=1 writes it.`);
}

/** Puts some of its values into the row of a CLI. */
export function updateRow(name: string, changes: JsonRecord): void {
  const table: Record<string, unknown> = JSON.parse(readFileSync(provenFile, 'utf8'));
  const row = isJsonRecord(table[name]) ? table[name] : {};
  const sorted = Object.entries({ ...table, [name]: { ...row, ...changes } }).sort(([one], [other]) =>
    one < other ? -1 : 1,
  );
  writeFileSync(provenFile, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
}
