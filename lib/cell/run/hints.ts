import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type Hint, type hintRefusalReasons, longestHint, mostHints } from '../../domain/agent-messages.ts';
import { parseJson } from '../../util/json.ts';
import { isMissingFileError, listNamesIn, readTextOrEmpty } from '../../util/read-file.ts';
import { replaceFile } from '../../util/write-files.ts';
import type { RunFolder } from '../run-folder.ts';
import { findLivingAgent } from './agent-registry.ts';

const folderName = 'hints';
const hintSchema = z.object({ id: z.string(), by: z.string(), at: z.string(), text: z.string() });

/** Makes the place where hints to an agent are left, in its run folder, which its cell doesn't see. Returns what reads them. */
export function openHintsFolder({ root }: Pick<RunFolder, 'root'>): { list(): readonly Hint[] } {
  const folder = join(root, folderName);
  mkdirSync(folder, { mode: 0o700 });
  return { list: () => listHints(folder) };
}

/** The outcome of leaving a hint; `why` it wasn't left. */
export type LeaveHintResult =
  | { readonly kind: 'left'; readonly id: string }
  | { readonly kind: 'refused'; readonly why: keyof typeof hintRefusalReasons };

/**
 * Leaves a hint for a living agent of any process on this machine. `no-agent`: none of that id lives here; `no-model`:
 * it asks no model that could get a hint.
 */
export function leaveHint(commonDir: string, agent: string, { by, text }: Pick<Hint, 'by' | 'text'>): LeaveHintResult {
  const refused = (why: keyof typeof hintRefusalReasons): LeaveHintResult => ({ kind: 'refused', why });
  if (text.length > longestHint) return refused('too-long');
  const living = findLivingAgent(commonDir, agent);
  if (living === null) return refused('no-agent');
  const folder = join(living.folder, folderName);
  const at = new Date().toISOString();
  const id = `hint-${at.replace(/\D/g, '')}-${randomBytes(3).toString('hex')}`;
  const hint: Hint = { id, by, at, text };
  try {
    if (readdirSync(folder).length >= mostHints) return refused('too-many');
    replaceFile(join(folder, `${id}.json`), JSON.stringify(hint), 0o600);
    return { kind: 'left', id };
  } catch (error) {
    if (!isMissingFileError(error)) throw error;
    return refused(findLivingAgent(commonDir, agent) === null ? 'no-agent' : 'no-model');
  }
}

/** Lists the hints left for a living agent; none for one that has ended. */
export function listHintsOfAgent(commonDir: string, agent: string): readonly Hint[] {
  const living = findLivingAgent(commonDir, agent);
  return living === null ? [] : listHints(join(living.folder, folderName));
}

/** In the order in which they were left: ids begin with the time. */
function listHints(folder: string): readonly Hint[] {
  return listNamesIn(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .flatMap((name) => hintSchema.safeParse(parseJson(readTextOrEmpty(join(folder, name)))).data ?? []);
}
