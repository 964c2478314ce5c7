import { createHash } from 'node:crypto';
import type { ObjectId } from '../../domain/ids.ts';
import type { Evidence, EvidenceCommand, EvidenceFile } from '../../domain/state/verdict.ts';

const listedFiles = 500;

interface EvidenceFacts {
  readonly summary: string;
  readonly tree: ObjectId;
  readonly files: readonly EvidenceFile[];
  readonly commands: readonly EvidenceCommand[];
  /** null: looked for in the commands, such as `--seed=42` or `SEED=42`. */
  readonly seed?: string | null;
  /** Results of a suite that counts by itself; absent: each command counts as one check. */
  readonly results?: Evidence['results'];
}

/** An evidence package with its verification hash. The same work checked the same way has the same hash. */
export function buildEvidence(facts: EvidenceFacts): Evidence {
  const files = facts.files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const passed = facts.commands.filter(({ exit_code: code }) => code === 0).length;
  const results = facts.results ?? { passed, failed: facts.commands.length - passed };
  const seed = facts.seed ?? findSeed(facts.commands);
  const { summary, tree, commands } = facts;
  return {
    summary,
    tree,
    files: files.slice(0, listedFiles).map(({ path, mode, blob }) => ({ path, mode, blob })),
    changed_files: files.length,
    commands: [...commands],
    seed,
    results,
    verification_hash: hashText(verificationText({ tree, files, commands, seed, results })),
  };
}

/**
 * Text of the verification hash: canonical JSON (no spaces, keys in order, UTF-8, no newline at the end). Who did it,
 * when, how long it took and what it printed are not in it.
 */
export function verificationText(facts: CanonicalFacts): string {
  const { tree, seed, results } = facts;
  return JSON.stringify({
    commands: facts.commands.map(({ command, exit_code }) => ({ command, exit_code })),
    files: facts.files.map(({ path, mode, blob }) => ({ blob, mode, path })),
    results: { failed: results.failed, passed: results.passed },
    seed,
    tree,
  });
}

interface CanonicalFacts extends Pick<Evidence, 'tree' | 'seed' | 'results'> {
  readonly files: readonly EvidenceFile[];
  readonly commands: readonly Pick<EvidenceCommand, 'command' | 'exit_code'>[];
}

/** `sha256:<hex>` of a text's UTF-8 bytes. */
export function hashText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function findSeed(commands: readonly EvidenceCommand[]): string | null {
  for (const { command } of commands) {
    const [, given, number] = /(?:^|[\s;&|-])(?:\w+[-_])*seed(?:=(\w+)|\s+(\d+))/i.exec(command) ?? [];
    if (given !== undefined || number !== undefined) return given ?? number ?? null;
  }
  return null;
}
