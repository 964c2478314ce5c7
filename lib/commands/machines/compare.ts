import { diffConfigs } from '../../config/config-values.ts';
import { parseConfig } from '../../config/load-config.ts';
import { FlameError } from '../../domain/flame-error.ts';
import type { ShownMachine } from '../../domain/shown/machines.ts';
import type { Session } from '../../domain/state/session.ts';
import { type GitContext, gitText } from '../../git/process/run-git.ts';
import { visibleLine } from '../../ui/text/visible-text.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import type { Opened } from '../open/open-workshop.ts';

const mostShown = 20;

/**
 * Rules are the same on all machines, or the lead would judge by others than the work was made by. Throws FlameError
 * `config-differs`, with each value that is another one here.
 */
export async function requireSameConfig(
  { workshop, config }: Opened,
  session: Session,
  context: GitContext,
): Promise<void> {
  const { config_digest: theirs, base_branch: base, base_commit: commit } = session;
  if (workshop.configDigest === theirs) return;
  const text = await gitText(context, ['show', `${commit}:.blueflame.yml`], { accept: [0, 128] });
  throw new FlameError({
    kind: 'refused',
    code: 'config-differs',
    message: `This clone's configuration is another one than the session's (${workshop.configDigest} here, ${theirs} there).`,
    details: differences(text, config),
    hints: ['git pull', `git diff ${shellQuote(base)} -- .blueflame.yml`],
  });
}

/** Lists each value that differs, where the session's configuration is that of the commit it started from. */
function differences(text: string, here: Opened['config']): readonly string[] {
  if (text === '') return [];
  try {
    const changes = diffConfigs(parseConfig(text, '.blueflame.yml').config, here);
    const shown = changes.map(
      ({ path, before, after }) => `${path}: ${before ?? '(none)'} there, ${after ?? '(none)'} here`,
    );
    const rest = shown.length - mostShown;
    return [...shown.slice(0, mostShown), ...(rest > 0 ? [`and ${rest} more`] : [])];
  } catch {
    // A configuration that can't be read here shows as different by its digest.
    return [];
  }
}

/** Lists differences to the lead's program, by its heartbeat as far as that has them. One line each. */
export function otherProgram(
  lead: ShownMachine | undefined,
  here: { readonly version: string; readonly adapters: readonly string[] },
): readonly string[] {
  if (lead === undefined) return [];
  const { version, adapters } = lead;
  const missing = (adapters ?? []).filter((name) => !here.adapters.includes(name));
  const name = visibleLine(lead.machine);
  return [
    ...(version === null || version === here.version
      ? []
      : [
          `${name} leads with git-flame ${visibleLine(version)}, here is ${here.version}: rules of the two may differ, and it judges by its own.`,
        ]),
    ...(missing.length === 0
      ? []
      : [
          `${name} has agents run with ${missing.map(visibleLine).join(', ')}, which this machine does not use.`,
        ]),
  ];
}
