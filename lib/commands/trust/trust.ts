import { resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { Permission, TrustChange } from '../../domain/state/repository-trust.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import {
  compareContent,
  isContentAllowed,
  listPermissions,
  readPermission,
  revokePermission,
  savePermission,
} from '../../trust/repository/permission.ts';
import { notTrustedError } from '../../trust/repository/repository-guard.ts';
import { askToAllowTrustChanges } from '../../ui/questions/ask-in-command.ts';
import { hasTerminal } from '../../ui/questions/terminal-gates.ts';
import { renderPermissions, renderTrustChanges } from '../../ui/render/render-trust.ts';
import { formatCount } from '../../util/format-figures.ts';
import { realPathEvenIfMissing } from '../../util/real-and-private-paths.ts';
import { listTrustCommands } from '../context/command-line.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { type PermissionRequest, readPermissionRequest } from '../context/permission-gate.ts';
import { readConfig, requireWorkTree } from '../context/read-config.ts';
import { requireTypedByPerson, trustErrorSubject } from '../context/require-typed-by-person.ts';

/** `git flame trust [list|revoke]`: what this repository's files make run, allowed by the person. */
export function run(args: CommandArgs<'trust'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    if (args.subcommand === 'list') return listAllowed(reading, io);
    if (args.subcommand === 'revoke') return revoke(args, io, reading);
    const root = requireWorkTree(reading.git);
    if (args.options.yes) requireTypedByPerson(trustErrorSubject, reading.git.repository, io);
    const permissionRequest = readPermissionRequest(await readConfig(root, reading.configFile), io, {
      git: reading.git,
      root,
    });
    return ask(args, io, { reading, permissionRequest });
  });
}

interface Parts {
  readonly reading: ReadContext;
  readonly permissionRequest: PermissionRequest;
}

/** 0 once it is allowed, 1 at a no, 2 when it waits for a person who can't be asked here. */
async function ask(
  args: CommandArgs<'trust'>,
  io: Io,
  { reading: { output }, permissionRequest }: Parts,
): Promise<number> {
  const { content, place } = permissionRequest;
  const permission = readPermission(place);
  const changes = compareContent(permission, content.items);
  const answer = isContentAllowed(content, permission)
    ? 'allowed'
    : await decide(args, io, { output, permissionRequest, changes });
  if (answer === 'allowed' || answer === 'given' || answer === 'waits')
    output.result(describe(changes, answer === 'allowed', output));
  if (answer === 'given' || answer === 'yes') savePermission(place, content, new Date());
  output.json({
    repository: place.root,
    config: place.config,
    digest: content.digest,
    trusted: answer !== 'no' && answer !== 'waits',
    items: changes.map(({ item, change, before }) => ({ ...item, change, before })),
  });
  if (answer === 'given' || answer === 'yes') output.info('\nAllowed for this clone, until a byte of it changes.');
  if (answer === 'no') output.info('Nothing was allowed.');
  if (answer === 'waits') output.hint(listTrustCommands(args)[1]);
  return answer === 'waits' ? 2 : answer === 'no' ? 1 : 0;
}

interface Deciding {
  readonly output: ReadContext['output'];
  readonly permissionRequest: PermissionRequest;
  readonly changes: readonly TrustChange[];
}

/** given: by --yes. waits: no person can be asked here, or none should be. */
async function decide(
  args: CommandArgs<'trust'>,
  io: Io,
  { output, permissionRequest: { content, place }, changes }: Deciding,
): Promise<'given' | 'yes' | 'no' | 'waits'> {
  if (args.globals.dryRun) return 'waits';
  if (args.options.yes) return 'given';
  if (output.isJson || !hasTerminal(io)) return 'waits';
  requireTypedByPerson(trustErrorSubject, place, io);
  const onEnd = (): FlameError => notTrustedError(content.items, listTrustCommands(args));
  return (await askToAllowTrustChanges(io, changes, { style: output.errorStyle, onEnd })) ? 'yes' : 'no';
}

function describe(changes: readonly TrustChange[], isAll: boolean, { style }: ReadContext['output']): string {
  if (changes.length === 0) return "Nothing in this repository's files needs your permission.";
  return renderTrustChanges(changes, style, isAll);
}

/** `git flame trust list`: what is allowed, first of this clone. */
function listAllowed({ git, output }: ReadContext, io: Io): number {
  const here = realPathEvenIfMissing(git.repository.commonDir);
  const all = listPermissions(io.env).map((permission) => ({
    permission,
    isHere: permission.repository === here,
  }));
  const entries = [...all.filter(({ isHere }) => isHere), ...all.filter(({ isHere }) => !isHere)];
  output.json({
    permissions: entries.map(({ permission, isHere }) => ({ ...permission, here: isHere })),
  });
  output.result(renderPermissions(entries, output.style));
  return 0;
}

/** `git flame trust revoke`: of this clone, or of the one whose folder is named; without any a FlameError `nothing-allowed`. */
function revoke(args: CommandArgs<'trust'>, io: Io, { git, output }: ReadContext): number {
  const [named] = args.positionals;
  const selected = named === undefined ? null : resolve(io.cwd, named);
  const here = realPathEvenIfMissing(git.repository.commonDir);
  const isSelected = ({ repository, root }: Permission): boolean =>
    selected === null
      ? repository === here
      : [repository, root].includes(selected) || repository === realPathEvenIfMissing(selected);
  const revoked = listPermissions(io.env).filter(isSelected);
  if (revoked.length === 0) throw nothingAllowed(selected ?? 'this clone');
  if (!args.globals.dryRun) for (const permission of revoked) revokePermission(permission, io.env);
  output.json({ revoked });
  const what = formatCount(
    revoked.reduce((sum, { items }) => sum + items.length, 0),
    'thing',
  );
  output.result(
    args.globals.dryRun
      ? `Would withdraw the permission for ${what}.`
      : `Permission withdrawn for ${what}. git flame asks again when it is needed.`,
  );
  return 0;
}

function nothingAllowed(where: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-allowed',
    message: `You have allowed nothing for ${where}.`,
    hints: ['git flame trust list'],
  });
}
