import { FlameError } from '../../domain/flame-error.ts';
import type { ObjectId } from '../../domain/ids.ts';
import { findInstallCommands, namesDependencies } from '../../domain/install-commands.ts';
import type { FailingBaseQuestion } from '../../domain/ports/gates.ts';
import type { GitFiles } from '../../domain/ports/git-contents.ts';
import { findLandingBranch } from '../../domain/state/session-facts.ts';
import type { Session } from '../../domain/state/session-schema.ts';
import { pickFailureLines } from '../../util/error-text.ts';
import { type RunContext, type WithGit, warn } from '../run-context.ts';
import { readBaseTip } from '../start-point.ts';
import {
  type FailingDiagnostic,
  findDiagnosticsFailingOnBase,
  hasDiagnostics,
  isSetupCommand,
  makeDiagnosticsCacheKey,
} from '../validate/run-diagnostics.ts';

/**
 * Says before anybody works which diagnostics fail on the base branch itself: only a task that mends them could
 * pass. They are tried once for each base and commands; once something landed, the base is what they judged already.
 */
export async function warnOfFailingBase(context: RunContext, session: Session, isPaid: boolean): Promise<void> {
  if (!hasDiagnostics(context)) return;
  if (session.changesets.some(({ state }) => state === 'landed')) return;
  const commit = await readBaseTip(context, session);
  const failing = await findDiagnosticsFailingOnBase(context, commit);
  const setup = failing.find((run) => isSetupCommand(context, run));
  if (setup !== undefined) throw setupFails(setup, findLandingBranch(session));
  const ways = failing.length === 0 ? [] : await listFailingBaseHints(context, commit);
  for (const run of failing) {
    const message = `${describeFailingDiagnostic(run, findLandingBranch(session))}, so only a task that fixes it can pass.`;
    warn(context, message, [...lastLines(run.output), ...ways]);
  }
  if (failing.length === 0 || !isPaid) return;
  const clauses = failing.map((run) => describeFailingDiagnostic(run, findLandingBranch(session)));
  await askWhetherToPay(context, `${session.id} ${makeDiagnosticsCacheKey(context, commit)}`, {
    commit,
    failing: clauses,
  });
}

/** A person at a terminal is asked before agents are paid for what can't pass, once for what they said yes to. */
async function askWhetherToPay(
  context: Pick<RunContext, 'gates' | 'trialCache'>,
  key: string,
  question: FailingBaseQuestion,
): Promise<void> {
  const { gates, trialCache } = context;
  const known = `paid all the same ${key}`;
  if (gates.base === undefined || (await trialCache.read(known)) !== null) return;
  if ((await gates.base(question)).kind === 'go-on') return trialCache.write(known, 'yes');
  throw new FlameError({
    kind: 'refused',
    code: 'base-fails',
    message: 'No agent was started: diagnostics fail on the base already.',
    details: [...question.failing, ...failingBaseHints],
    hints: ['git flame work'],
  });
}

/** Ways a person can go on. */
const failingBaseHints = [
  'Fix it first, add a task that fixes it, or remove it from validation.validator_diagnostics.commands.',
];

/** The hints of warnOfFailingBase, after the setup of dependencies where the project has some and nothing prepares worktrees. */
export async function listFailingBaseHints(
  { config, git }: Pick<RunContext, 'config'> & WithGit<GitFiles>,
  commit: ObjectId,
): Promise<readonly string[]> {
  const { setup, copy, link } = config.project;
  if (setup.length + copy.length + link.length > 0) return failingBaseHints;
  const names = new Set(await git.listFiles(commit, Number.POSITIVE_INFINITY));
  const manifests = await git.readTexts(commit, ['package.json', 'Cargo.toml']);
  const brought = findInstallCommands(names, (file) => namesDependencies(file, manifests.get(file) ?? ''));
  return [
    ...brought.map(
      ({ file, command, preset }) =>
        `Agents' worktrees start without the dependencies that ${file} names. To install them, in .blueflame.yml: project: { setup: [${command}] } and sandbox: { egress: { setup: [${preset}] } }, or from-config for the registry in your own settings.`,
    ),
    ...failingBaseHints,
  ];
}

/** No agent could be given a worktree, so that none is claimed for. */
function setupFails({ output }: FailingDiagnostic, branch: string): FlameError {
  const [said = '', ...lines] = output.split('\n');
  return new FlameError({
    kind: 'refused',
    code: 'setup-fails',
    message: `No agent was started: no worktree of ${branch} can be prepared. ${said}`,
    details: lastLines(lines.join('\n')),
    hints: ['git flame work'],
  });
}

/** `npm test fails on main already (exit 1)`. */
export function describeFailingDiagnostic(
  { command, exit_code: exit, timed_out: isLate }: FailingDiagnostic,
  branch: string,
): string {
  const how = isLate ? 'it took too long' : exit === null ? 'it was killed' : `exit ${exit}`;
  return `${command} fails on ${branch} already (${how})`;
}

/** Lines of an output that explain an error best. */
export function lastLines(output: string): readonly string[] {
  return output.trimEnd() === '' ? [] : pickFailureLines(output, 5);
}
