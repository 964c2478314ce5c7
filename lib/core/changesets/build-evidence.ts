import { createHash } from 'node:crypto';
import type { EvidenceDoubt } from '../../domain/ports/changeset-question.ts';
import type { Snapshot } from '../../domain/ports/store-port.ts';
import type { Task } from '../../domain/state/task-schema.ts';
import type {
  ChangedBlob,
  DiagnosticEvidence,
  DiagnosticsRerun,
  Evidence,
  Verdict,
} from '../../domain/state/verdict.ts';
import { shortId } from '../../util/short-names.ts';

const listed = 20;

/** Lists the differences between two evidence packages of the same work, one line each; none if hashes are equal. */
export function compareEvidence(before: Evidence, now: Evidence): readonly string[] {
  if (before.verification_hash === now.verification_hash) return [];
  const differences = [
    ...(before.tree === now.tree ? [] : [`the tree is now ${shortId(now.tree)}, before ${shortId(before.tree)}`]),
    ...compareCommands(before, now),
    ...compareFiles(before.files, now.files),
    ...(before.seed === now.seed ? [] : [`the seed is now ${now.seed ?? 'none'}, before ${before.seed ?? 'none'}`]),
    ...compareResults(before, now),
  ];
  if (differences.length === 0) return ['the verification hash is different'];
  if (differences.length <= listed) return differences;
  return [...differences.slice(0, listed), `and ${differences.length - listed} more`];
}

/**
 * Why a person should look at a commit's evidence: verdicts on it that rest on different evidence, and checks
 * that came out otherwise when they were run again. A later run that agrees takes nothing back: what comes out
 * now so, now otherwise is worth a look.
 */
export function listEvidenceDoubts(
  verdicts: readonly Verdict[],
  verifications: readonly DiagnosticsRerun[],
): readonly string[] {
  const known = verdicts.flatMap(({ evidence, by }) => (evidence === undefined ? [] : [{ evidence, by }]));
  const last = known.at(-1);
  const otherwise = known
    .slice(0, -1)
    .flatMap(({ evidence, by }) =>
      last === undefined
        ? []
        : compareEvidence(evidence, last.evidence).map((line) => `${last.by} against ${by}: ${line}`),
    );
  const again = verifications.flatMap(({ differences, by }) =>
    differences.map((line) => `checked again by ${by}: ${line}`),
  );
  return [...new Set([...otherwise, ...again])];
}

/** The tasks of these whose evidence is in doubt. */
export function listTasksInEvidenceDoubt(
  snapshot: Pick<Snapshot, 'verdictsOn' | 'verificationsOn'>,
  tasks: readonly Pick<Task, 'id' | 'commit'>[],
): readonly EvidenceDoubt[] {
  return tasks.flatMap(({ id, commit }) => {
    if (commit === null) return [];
    const reasons = listEvidenceDoubts(snapshot.verdictsOn(commit), snapshot.verificationsOn(commit));
    return reasons.length === 0 ? [] : [{ task: id, commit, reasons }];
  });
}

function compareCommands(before: Evidence, now: Evidence): readonly string[] {
  const lines = now.commands.flatMap(({ command, exit_code: code }, index) => {
    const old = before.commands[index];
    if (old === undefined || old.command !== command) return [`${command} did not run before`];
    return old.exit_code === code ? [] : [`${command} ${ended(code)}, before it ${ended(old.exit_code)}`];
  });
  const kept = new Set(now.commands.map(({ command }) => command));
  const missing = before.commands.filter(({ command }) => !kept.has(command));
  return [...lines, ...missing.map(({ command }) => `${command} did not run this time`)];
}

function compareFiles(before: readonly ChangedBlob[], now: readonly ChangedBlob[]): readonly string[] {
  const old = new Map(before.map((file) => [file.path, file]));
  const changed = now.flatMap(({ path, mode, blob }) => {
    const file = old.get(path);
    if (file === undefined) return [`${path} is changed only now`];
    return file.mode === mode && file.blob === blob ? [] : [`${path} has different content or mode`];
  });
  const paths = new Set(now.map(({ path }) => path));
  return [
    ...changed,
    ...before.filter(({ path }) => !paths.has(path)).map(({ path }) => `${path} is no longer changed`),
  ];
}

function compareResults({ results: before }: Evidence, { results: now }: Evidence): readonly string[] {
  if (before.passed === now.passed && before.failed === now.failed) return [];
  return [`${now.passed} passed and ${now.failed} failed, before ${before.passed} and ${before.failed}`];
}

function ended(code: number | null): string {
  return code === null ? 'was killed' : `ended with ${code}`;
}

const listedFiles = 500;

interface EvidenceFacts extends Pick<Evidence, 'summary' | 'tree' | 'commands'> {
  readonly files: readonly ChangedBlob[];
}

/**
 * An evidence package with its verification hash. The same work checked the same way has the same hash. Each command
 * counts as one check; the seed is looked for in them, such as `--seed=42` or `SEED=42`.
 */
export function buildEvidence(facts: EvidenceFacts): Evidence {
  const { summary, tree, commands } = facts;
  const files = facts.files.toSorted((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  const passed = commands.filter(({ exit_code: code }) => code === 0).length;
  const results = { passed, failed: commands.length - passed };
  const seed = findSeed(commands);
  return {
    summary,
    tree,
    files: files.slice(0, listedFiles).map(({ path, mode, blob }) => ({ path, mode, blob })),
    changed_files: files.length,
    commands,
    seed,
    results,
    verification_hash: hashText(renderTextToHash({ tree, files, commands, seed, results })),
  };
}

/**
 * Text of the verification hash: canonical JSON (no spaces, keys in order, UTF-8, no newline at the end). Who did it,
 * when, how long it took and what it printed are not in it.
 */
export function renderTextToHash(facts: CanonicalFacts): string {
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
  readonly files: readonly ChangedBlob[];
  readonly commands: readonly Pick<DiagnosticEvidence, 'command' | 'exit_code'>[];
}

/** `sha256:<hex>` of a text's UTF-8 bytes. */
export function hashText(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`;
}

function findSeed(commands: readonly DiagnosticEvidence[]): string | null {
  for (const { command } of commands) {
    const [, given, number] = /(?:^|[\s;&|-])(?:\w+[-_])*seed(?:=(\w+)|\s+(\d+))/i.exec(command) ?? [];
    if (given !== undefined || number !== undefined) return given ?? number ?? null;
  }
  return null;
}
