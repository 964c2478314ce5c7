import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ObjectId, objectIdPattern, parseObjectId, parseSessionId, parseTaskId } from '../../domain/ids.ts';
import type { AgentEndNote, CellSubject } from '../../domain/ports/git-cells.ts';
import { isJsonRecord, type JsonRecord, parseJsonRecord } from '../../util/json.ts';
import { type ProcessIdentity, parseIdentity } from '../../util/process-identity.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';

/** The tool's record of a cell, where no agent can write. */
export interface CellRecord {
  readonly owner: ProcessIdentity | null;
  readonly worktree: string | null;
  /** The common git directory as it was then. */
  readonly common: string | null;
  /** null, as of all others: the record was cut short. */
  readonly start: ObjectId | null;
  readonly base: ObjectId | null;
  readonly subject: CellSubject | null;
  /** It was finished, so that an agent may have been in it. */
  readonly isReady: boolean;
  /** The commit that was made for its agent last. */
  readonly made: CommitMadeForAgent | null;
  /** The last commit that was accepted of it. */
  readonly accepted: ObjectId | null;
  /** As it is written, see parseAgentEndNote; undefined: it isn't over, or failed. */
  readonly ended: unknown;
  /** Which commit's index the tool's own one is; null: none is known. */
  readonly index: ObjectId | null;
}

interface CommitMadeForAgent {
  readonly commit: ObjectId;
  /** The agent's HEAD that it supersedes; null: the agent's HEAD was moved to it. */
  readonly over: ObjectId | null;
}

/** Facts as they are written, by the names of the record. */
export interface RecordFacts {
  readonly owner?: ProcessIdentity;
  readonly worktree?: string;
  readonly common?: string;
  readonly start?: string;
  readonly base?: string;
  readonly subject?: CellSubject;
  readonly ready?: true;
  readonly made?: CommitMadeForAgent;
  readonly accepted?: string;
  readonly ended?: AgentEndNote;
  readonly index?: string | null;
}

/**
 * One file, made once: each fact is a line that is added to it, and the last of a kind counts. A line that a kill cut
 * short is none.
 */
const recordFile = 'record';

/** Begins the record of a cell in its folder. */
export function beginCellRecord(root: string, facts: RecordFacts): void {
  writeFileSync(join(root, recordFile), `${JSON.stringify(facts)}\n`, { mode: 0o600 });
}

export function addToRecord(root: string, facts: RecordFacts): void {
  // A kill may have cut the last line short, so each record begins a new one.
  appendFileSync(join(root, recordFile), `\n${JSON.stringify(facts)}\n`);
}

/** Reads a cell's record from its folder; all is null where there is no such record. */
export function readRecord(root: string): CellRecord {
  const lines = readTextOrEmpty(join(root, recordFile)).split('\n').map(parseJsonRecord);
  const facts: JsonRecord = Object.assign({}, ...lines);
  return {
    owner: parseIdentity(JSON.stringify(facts.owner ?? null)),
    worktree: typeof facts.worktree === 'string' && facts.worktree !== '' ? facts.worktree : null,
    common: typeof facts.common === 'string' ? facts.common : null,
    start: parseId(facts.start),
    base: parseId(facts.base),
    subject: parseSubject(facts.subject),
    isReady: facts.ready === true,
    made: parseMade(facts.made),
    accepted: parseId(facts.accepted),
    ended: facts.ended ?? undefined,
    index: parseId(facts.index),
  };
}

/** null: it is no id. */
export function parseId(value: unknown): ObjectId | null {
  return typeof value === 'string' && objectIdPattern.test(value) ? parseObjectId(value) : null;
}

function parseMade(value: unknown): CommitMadeForAgent | null {
  if (!isJsonRecord(value)) return null;
  const commit = parseId(value.commit);
  return commit === null ? null : { commit, over: parseId(value.over) };
}

function parseSubject(value: unknown): CellSubject | null {
  if (!isJsonRecord(value)) return null;
  try {
    return { session: parseSessionId(`${value.session}`), task: parseTaskId(`${value.task}`) };
  } catch {
    return null;
  }
}
