import { FlameError } from '../../domain/flame-error.ts';
import type { SinceSeen } from '../../domain/state/changeset.ts';
import { renderDiff } from '../../ui/render/render-diff.ts';
import type { Showing } from './showing.ts';

/** The difference to what the person saw, as lines. Throws FlameError `no-earlier-version` where they saw none. */
export async function renderInterdiff(
  { reading: { git, output } }: Pick<Showing, 'reading'>,
  name: string,
  since: SinceSeen | null,
): Promise<readonly string[]> {
  if (since === null) throw noEarlierVersion(name);
  return ['', renderDiff(await git.diffText(since.from, since.to), output.style)];
}

function noEarlierVersion(name: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'no-earlier-version',
    message: `There is no earlier version of ${name} in this clone that was sent back or skipped.`,
    hints: [`git flame show ${name} --diff`],
  });
}
