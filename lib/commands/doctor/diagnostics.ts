import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import { failedDiagnostics, hasDiagnostics, isSetup } from '../../engine/validate/run-diagnostics.ts';
import { describeFailing, lastLines, waysOnFrom } from '../../engine/work/base-checks.ts';
import { shortId } from '../../util/short-names.ts';
import { type BaseTrial, type BaseTrialRequest, tryOnBase } from '../open/try-on-base.ts';

interface DiagnosticsTrial extends BaseTrialRequest {
  /** Whether the person allowed what this repository's files ask for. */
  readonly isAllowed: boolean;
}

const check = checkOf('programs', 'diagnostics', false);

/** The setup and the diagnostics, tried on the base in a worktree that is thrown away; nothing where none is configured. */
export async function examineDiagnostics(
  { isAllowed, ...request }: DiagnosticsTrial,
  limitMs?: number,
): Promise<readonly Finding[]> {
  const { setup } = request.options.config.project;
  if (!isAllowed && (setup.length > 0 || hasDiagnostics(request.options)))
    return [untried("what this repository's files ask for is not allowed", ['git flame trust'])];
  const trial = await tryOnBase(request, limitMs);
  if (trial === null) return [];
  return 'untried' in trial ? [untried(trial.untried)] : describeTrial(trial);
}

async function describeTrial({ parts, base, runs, notices }: BaseTrial): Promise<readonly Finding[]> {
  const { branch, commit } = base;
  const failing = failedDiagnostics(runs);
  const warnings = notices.map(({ message, details }) =>
    checkOf('programs', 'preparation', false).weaker(message, { hints: details ?? [] }),
  );
  if (failing.length === 0) {
    const tried = runs.length === 0 ? 'project.setup' : runs.map(({ command }) => command).join(', ');
    const message = `Tried on ${branch} at ${shortId(commit)}, and passed: ${tried}.`;
    return [check.proven(message), ...warnings];
  }
  const ways = await waysOnFrom(parts, commit);
  const found = failing.map((run) => {
    const isRequired = isSetup(parts, run);
    const message = isRequired
      ? `project.setup fails on ${branch}, so no agent can be given a worktree.`
      : `${describeFailing(run, branch)}, so only a task that mends it can pass.`;
    const hints = isRequired ? ['Mend project.setup in .blueflame.yml, or what it needs.'] : ways;
    return check.missing(message, { isRequired, details: lastLines(run.output), hints });
  });
  return [...found, ...warnings];
}

function untried(why: string, hints: readonly string[] = []): Finding {
  return check.weaker(`Whether the diagnostics pass on the base was not tried: ${why}.`, { hints });
}
