import type { AgentPolicy, Violation } from '../domain/agent-policy.ts';
import type { ObjectId } from '../domain/ids.ts';
import type { CommitInfo } from '../domain/ports/git-commits.ts';
import type { ChangedFile } from '../domain/state/patch.ts';
import { globMatchesPath } from '../util/path-globs.ts';
import { shortId } from '../util/short-names.ts';
import { checkCommitAuthor, type ExpectedAuthor, judgeCommitMessage, judgeMessageTrailers } from './check-commit.ts';
import { judgeGitAttributesFile, judgeNewFileName, judgePathByName, judgePathInScope } from './judge-path.ts';
import { createObjection, type PolicyObjection, type RuleName } from './policy-rules.ts';
import { explainMalformedPath, normalizeAbsolute } from './resolve-path.ts';
import { findSecrets, type SecretFinding } from './secrets/find-secrets.ts';

export interface FilesInput {
  readonly policy: AgentPolicy;
  /** All that differs between the two sides. */
  readonly files: readonly ChangedFile[];
  /** All that differs, where `files` are a part of it. */
  readonly among?: readonly ChangedFile[];
  /** Text of a file afterwards (of a symlink its target); null: none, or not text. */
  readonly readText: (path: string) => string | null;
  /** Credentials a change adds, where the caller looked at more than texts. */
  readonly secrets?: (path: string) => readonly SecretFinding[];
}

/** The files are those between start and the tip. */
export interface BranchInput extends FilesInput {
  /** The agent's commits, oldest first, without merges the orchestrator made. */
  readonly commits: readonly CommitInfo[];
  readonly start: ObjectId;
  /** Commits that others may follow from and are not judged by themselves. */
  readonly given?: readonly ObjectId[];
  /** Whose the commits must be; null: a person's, who signs as they like. */
  readonly signer: ExpectedAuthor | null;
}

/** The facts of a change that are known without its content. */
export type ChangedEntry = Pick<ChangedFile, 'path' | 'status' | 'oldMode' | 'newMode'>;

/** Everything a branch does against the policy, judged on git objects alone. Empty: it may become a changeset. */
export function checkBranch(input: BranchInput): readonly Violation[] {
  return [...checkByParts(input)].flat();
}

/** Checks as checkBranch does, part by part: a caller may stop between any two, or let other work run. */
export function* checkByParts(input: BranchInput): Generator<readonly Violation[]> {
  const { commits, signer } = input;
  yield checkHistory(input);
  for (const commit of commits) yield checkMessage(input, commit);
  if (signer !== null) for (const commit of commits) yield checkCommitAuthor(commit, signer);
  yield* checkFilesOneByOne(input);
  yield checkTests(input);
}

/** The part of it that looks at each file by itself, file by file. */
export function* checkFilesOneByOne(input: FilesInput): Generator<readonly Violation[]> {
  const moved = new Set(
    (input.among ?? input.files).filter(({ oldMode }) => oldMode.startsWith('100')).map(({ oldOid }) => oldOid),
  );
  for (const file of input.files) yield checkFile(input, file, moved.has(file.newOid));
}

/** Amended or rewritten history shows as a parent that is neither the start nor one of the new commits. */
function checkHistory(input: BranchInput): Violation[] {
  const { start, given = [], commits } = input;
  const known = new Set<ObjectId>([start, ...given, ...commits.map((commit) => commit.oid)]);
  return commits
    .filter((commit) => commit.parents.length === 0 || commit.parents.some((parent) => !known.has(parent)))
    .map((commit) => ({
      rule: 'history' satisfies RuleName,
      where: commit.oid,
      details: `Commit ${shortId(commit.oid)} is not based on ${shortId(start)}, where the task started. Add commits on top of it, and rewrite none from before.`,
    }));
}

function checkMessage({ policy, signer }: BranchInput, commit: CommitInfo): Violation[] {
  const text = `${commit.author}\n${commit.committer}\n${commit.message}`;
  const secrets = findSecrets(text, null).map(({ id }) =>
    createObjection(
      'secret',
      `Commit ${shortId(commit.oid)} contains what looks like a credential (${id}). Rewrite the commit without it.`,
    ),
  );
  const trailers = signer === null ? null : judgeMessageTrailers(signer.identity, commit.message);
  return violations(commit.oid, [judgeCommitMessage(policy, commit.message), trailers, ...secrets]);
}

/** `isMoved`: its content was there before, under this name or another one that changed too. */
function checkFile(input: FilesInput, file: ChangedFile, isMoved: boolean): Violation[] {
  return [
    ...checkFileEntry(input.policy, file),
    ...violations(file.path, isGone(file) ? [] : judgeContent(input, file, isMoved)),
  ];
}

/** Checks a change apart from its content: its place, its name, a submodule. */
export function checkFileEntry(policy: AgentPolicy, file: ChangedEntry): readonly Violation[] {
  const place = policy.can_write
    ? (judgePathByName(policy, file.path) ??
      judgePathInScope(policy, file.path) ??
      judgeGitAttributesFile(policy, file.path))
    : createObjection('read-only-role', `A ${policy.role} may not commit.`);
  const names = isGone(file)
    ? []
    : [
        judgeSpelling(file),
        judgeNameSecret(file),
        judgePrepared(policy, file.path),
        file.status === 'added' ? judgeNewFileName(policy, file.path) : null,
      ];
  return violations(file.path, [place, judgeSubmodule(file), ...names]);
}

function judgeContent(input: FilesInput, file: ChangedFile, isMoved: boolean): (PolicyObjection | null)[] {
  const { policy } = input;
  const isLink = file.newMode === '120000';
  const isRegular = file.newMode.startsWith('100');
  return [
    isLink ? judgeLink(policy, file.path, input.readText(file.path)) : null,
    isRegular && !isMoved && file.isBinary ? judgeBinary(policy, file) : null,
    isRegular && !isMoved ? judgeSize(policy, file) : null,
    ...(isRegular ? judgeSecrets(input, file) : []),
  ];
}

function isGone(file: ChangedEntry): boolean {
  return file.newMode === '000000' || file.status === 'deleted';
}

function judgeSpelling(file: ChangedEntry): PolicyObjection | null {
  const problem = explainMalformedPath(file.path);
  return problem === null
    ? null
    : createObjection('path-malformed', `The name ${JSON.stringify(file.path)} ${problem}.`);
}

function judgeNameSecret(file: ChangedEntry): PolicyObjection | null {
  const [found] = findSecrets(file.path, null);
  return found === undefined
    ? null
    : createObjection('secret', `The name of a file looks like a credential (${found.id}). Use another name.`);
}

/** A lock that names what the setup made means that file. */
function judgePrepared({ prepared = [], file_locks: locks }: AgentPolicy, path: string): PolicyObjection | null {
  const found = prepared.find((one) =>
    one.path.endsWith('/') ? path.startsWith(one.path) : path === one.path || path.startsWith(`${one.path}/`),
  );
  if (found === undefined || (found.by === 'project.setup' && locks?.includes(path) === true)) return null;
  return createObjection(
    'path-prepared',
    `${path} was copied here by ${found.by} and is not part of the work. Remove it from the commits: git rm -r --cached ${path}`,
  );
}

function judgeSubmodule(file: ChangedEntry): PolicyObjection | null {
  if (file.oldMode !== '160000' && file.newMode !== '160000') return null;
  return createObjection('submodule', `${file.path} is a submodule. Do not change submodules.`);
}

function judgeLink(policy: AgentPolicy, path: string, target: string | null): PolicyObjection | null {
  if (target === null || target === '' || target.startsWith('/') || target.includes('\\')) {
    return createObjection(
      'symlink',
      `${path} points to ${target ?? 'an unknown place'}. Links must be relative and stay inside the repository.`,
    );
  }
  const folder = path.split('/').slice(0, -1);
  // After another link `..` leads elsewhere than it reads: only a target that starts with it can be followed as text.
  const ups = /^(?:\.\.?\/)*(?:\.\.?$)?/.exec(target)?.[0] ?? '';
  const rest = target.slice(ups.length);
  const depth = folder.length - ups.split('/').filter((segment) => segment === '..').length;
  if (depth < 0 || rest.split('/').includes('..')) {
    return createObjection('symlink', `${path} points out of the repository: ${target}.`);
  }
  const end = normalizeAbsolute(`/${folder.join('/')}/${target}`).slice(1);
  const found = end === '' ? null : judgePathByName(policy, end, 'read');
  return found === null ? null : createObjection('symlink', `${path} points to ${target}. ${found.details}`);
}

function judgeBinary(policy: AgentPolicy, file: ChangedFile): PolicyObjection | null {
  const globs = [...policy.allowed_paths, ...(policy.file_locks ?? [])];
  if (globs.some((glob) => namesFile(policy, glob, file.path))) return null;
  return createObjection(
    'binary',
    `${file.path} is a binary file that no lock names. Remove it or let git ignore it (.gitignore), or ask for a lock that names it, like ${file.path} or *.${extensionOf(file.path)}.`,
  );
}

/** Whether a glob means this kind of file, and doesn't just hold the folder it's in. */
function namesFile({ literal_paths: present }: AgentPolicy, glob: string, path: string): boolean {
  if (!globMatchesPath(glob, path, present)) return false;
  const [last, name] = [glob.split('/').at(-1) ?? '', path.split('/').at(-1) ?? ''];
  const extension = extensionOf(path);
  return last === name || (extension !== '' && /\./.test(last) && last.includes(extension));
}

function extensionOf(path: string): string {
  return /[^/.][^/]*\.([^./]+)$/.exec(path)?.[1] ?? '';
}

function judgeSize(policy: AgentPolicy, file: ChangedFile): PolicyObjection | null {
  if (file.size <= policy.max_file_bytes) return null;
  return createObjection(
    'file-size',
    `${file.path} has ${file.size} bytes, but at most ${policy.max_file_bytes} are allowed.`,
  );
}

function judgeSecrets({ secrets, readText }: FilesInput, file: ChangedFile): PolicyObjection[] {
  const text = secrets !== undefined || file.isBinary ? null : readText(file.path);
  const found = secrets?.(file.path) ?? (text === null ? [] : findSecrets(text, null));
  return found.map(({ id, line }) =>
    createObjection(
      'secret',
      `${file.path}:${line} looks like a credential (${id}). Remove it and read it from the environment instead.`,
    ),
  );
}

/** A change of sources without any change of tests. */
function checkTests(input: BranchInput): Violation[] {
  const { require_tests: rule, literal_paths: present } = input.policy;
  if (rule === null) return [];
  const kept = input.files.filter((file) => !isGone(file));
  const isTest = (file: ChangedFile): boolean =>
    rule.test_patterns.some((glob) => globMatchesPath(glob, file.path, present));
  const source = kept.find(
    (file) => !isTest(file) && rule.source_patterns.some((glob) => globMatchesPath(glob, file.path, present)),
  );
  if (source === undefined || kept.some(isTest)) return [];
  return violations(source.path, [
    createObjection(
      'tests-missing',
      `${source.path} changed without a test. Add or change one that matches: ${rule.test_patterns.join(', ')}.`,
    ),
  ]);
}

function violations(where: string, found: readonly (PolicyObjection | null)[]): Violation[] {
  return found.filter((one) => one !== null).map(({ rule, details }) => ({ rule, where, details }));
}
