import { resolve } from 'node:path';
import { FlameError } from '../../domain/flame-error.ts';
import type { CommandArgs, Io } from '../../domain/shown/command.ts';
import type { Permission } from '../../domain/state/repository-trust.ts';
import { listPermissions, revokePermission } from '../../trust/repository/permission.ts';
import { renderPermissions } from '../../ui/render/render-trust.ts';
import { formatCount } from '../../util/format-figures.ts';
import { realPathOf } from '../../util/path-places.ts';
import type { Reading } from '../open/read-state.ts';

/** `git flame trust list`: what is allowed, first of this clone. */
export function listAllowed({ git, output }: Reading, io: Io): number {
  const here = realPathOf(git.repository.commonDir);
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
export function revoke(args: CommandArgs<'trust'>, io: Io, { git, output }: Reading): number {
  const [named] = args.positionals;
  const meant = named === undefined ? null : resolve(io.cwd, named);
  const here = realPathOf(git.repository.commonDir);
  const isMeant = ({ repository, root }: Permission): boolean =>
    meant === null
      ? repository === here
      : [repository, root].includes(meant) || repository === realPathOf(meant);
  const revoked = listPermissions(io.env).filter(isMeant);
  if (revoked.length === 0) throw nothingAllowed(meant ?? 'this clone');
  if (!args.globals.dryRun) for (const permission of revoked) revokePermission(permission, io.env);
  output.json({ revoked });
  const what = formatCount(
    revoked.reduce((sum, { items }) => sum + items.length, 0),
    'thing',
  );
  output.result(
    args.globals.dryRun
      ? `Would take back what was allowed: ${what}.`
      : `Taken back: ${what}. It is asked for again.`,
  );
  return 0;
}

function nothingAllowed(where: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'nothing-allowed',
    message: `Nothing is allowed for ${where}.`,
    hints: ['git flame trust list'],
  });
}
