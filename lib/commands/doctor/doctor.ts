import { makeRunnerContext } from '../../cell/run/make-context.ts';
import { configSchema } from '../../domain/config/config-schema.ts';
import type { CommandArgs, Io } from '../../domain/view-models/command.ts';
import { createCheckFindings, type DoctorFinding, isReadyForWork } from '../../domain/view-models/doctor-finding.ts';
import { filterFailedDiagnostics, hasDiagnostics, isSetupCommand } from '../../engine/validate/run-diagnostics.ts';
import { describeFailingDiagnostic, lastLines, listFailingBaseHints } from '../../engine/work/failing-base.ts';
import type { Repair } from '../../store/repair/repair-ref.ts';
import { repairState } from '../../store/repair/repair-state.ts';
import { hasTerminal } from '../../ui/questions/terminal-gates.ts';
import { renderFindings, renderRepairs } from '../../ui/render/render-doctor.ts';
import { shortId } from '../../util/short-names.ts';
import { type ReadContext, withRepositoryState } from '../context/open-read-context.ts';
import { readConfig, requireWorkTree } from '../context/read-config.ts';
import { buildRunnerOptions } from '../run-context/run-config.ts';
import {
  type BaseDiagnosticsRequest,
  type BaseDiagnosticsTrial,
  tryDiagnosticsOnBase,
} from '../run-context/try-on-base.ts';
import { examinePostCheck, examineSandbox, examineWatcher } from './examine-enforcement.ts';
import { examineCredential, examinePrograms, findConfiguredAdapters } from './examine-programs.ts';
import { examineBase, examineBeads, examineHooks, examineRemote, examineRepository } from './examine-repository.ts';
import {
  examineLeftovers,
  examineState,
  examineTrust,
  examineWritable,
  type TrustExamination,
} from './examine-state.ts';

/** `git flame doctor`: what is enforced here, each part of it tried; 1 when something is missing that work needs. */
export function run(args: CommandArgs<'doctor'>, io: Io): Promise<number> {
  return withRepositoryState(args, io, async (reading) => {
    const { git, output } = reading;
    const { remote } = args.options;
    const { config, problems, isAllowed } = await readConfigOrDefaults(io, reading);
    const options = buildRunnerOptions(git, config, io);
    const context = makeRunnerContext(options);
    const repairs = args.options.repair ? await repair(reading, args, io) : [];
    const barrier = examineWritable(git.repository.commonDir);
    const findings = [
      ...(barrier.length > 0 || args.options.repair
        ? barrier
        : await examineParts({ git, options, isAllowed, context }, hasTerminal(io))),
      ...problems,
      ...(await examineBase(git, config)),
      ...(await examineBeads(config, { env: io.env, root: git.repository.mainWorkTree ?? io.cwd })),
      ...(await examineState(reading)),
      ...(await examineRepository(git, config)),
      ...(await examineHooks(git, io)),
      ...(await examineLeftovers(reading, io.env)),
      ...(remote === null ? [] : await examineRemote(reading, io, { name: remote, config })),
    ];
    output.json({
      sound: isReadyForWork(findings),
      findings: findings.map(toJson),
      ...(args.options.repair
        ? { repairs: repairs.map(({ isDone, ...repair }) => ({ ...repair, done: isDone })) }
        : {}),
    });
    if (args.options.repair) output.result(renderRepairs(repairs, output.style));
    output.result(renderFindings(findings, output.style));
    return isReadyForWork(findings) ? 0 : 1;
  });
}

/** Runs the trials: they need room for their cells, and don't depend on the repairs. */
async function examineParts(
  parts: Parameters<typeof examineDiagnostics>[0],
  isInteractive: boolean,
): Promise<readonly DoctorFinding[]> {
  const { context, git } = parts;
  const adapters = await findConfiguredAdapters(context);
  return [
    ...(await examineWatcher(context, adapters)),
    ...(await examineSandbox(context, adapters, isInteractive)),
    ...examinePostCheck(),
    ...(await examinePrograms(adapters, git)),
    ...(await examineCredential(context, adapters)),
    ...(await examineDiagnostics(parts)),
  ];
}

function repair({ git }: ReadContext, { globals }: CommandArgs, io: Io): Promise<readonly Repair[]> {
  const { commonDir, objectFormat } = git.repository;
  const context = { cwd: io.cwd, env: io.env };
  return repairState({ context, commonDir, objectFormat, isDry: globals.dryRun });
}

function toJson({ isRequired, ...rest }: DoctorFinding): Readonly<Record<string, unknown>> {
  return { ...rest, required: isRequired };
}

/** A configuration that can't be read is a finding; the rest is looked at as if there were none. */
async function readConfigOrDefaults(
  io: Io,
  { git, configFile }: ReadContext,
): Promise<Pick<TrustExamination, 'config' | 'isAllowed'> & { readonly problems: readonly DoctorFinding[] }> {
  const check = createCheckFindings('state', 'configuration');
  try {
    const root = requireWorkTree(git);
    const loaded = await readConfig(root, configFile, git.repository.workTree);
    const found = loaded.warnings.map((message) => check.weaker(message));
    const { findings, ...examined } = examineTrust(loaded, io, { git, root });
    return { ...examined, problems: [...found, ...findings] };
  } catch (error) {
    return { config: configSchema.parse({}), isAllowed: false, problems: [check.failed(error)] };
  }
}

interface DiagnosticsTrial extends BaseDiagnosticsRequest {
  /** Whether the person allowed what this repository's files ask for. */
  readonly isAllowed: boolean;
}

const check = createCheckFindings('programs', 'diagnostics', false);

/** The setup and the diagnostics, tried on the base in a worktree that is thrown away; nothing where none is configured. */
export async function examineDiagnostics(
  { isAllowed, ...request }: DiagnosticsTrial,
  limitMs?: number,
): Promise<readonly DoctorFinding[]> {
  const { setup } = request.options.config.project;
  if (!isAllowed && (setup.length > 0 || hasDiagnostics(request.options)))
    return [untried("you have not allowed what this repository's files would run", ['git flame trust'])];
  const trial = await tryDiagnosticsOnBase(request, limitMs);
  if (trial === null) return [];
  return 'untried' in trial ? [untried(trial.untried)] : describeTrial(trial);
}

async function describeTrial({ parts, base, runs, notices }: BaseDiagnosticsTrial): Promise<readonly DoctorFinding[]> {
  const { branch, commit } = base;
  const failing = filterFailedDiagnostics(runs);
  const warnings = notices.map(({ message, details }) =>
    createCheckFindings('programs', 'preparation', false).weaker(message, { hints: details ?? [] }),
  );
  if (failing.length === 0) {
    const tried = runs.length === 0 ? 'project.setup' : runs.map(({ command }) => command).join(', ');
    const message = `Tried on ${branch} at ${shortId(commit)}, and passed: ${tried}.`;
    return [check.proven(message), ...warnings];
  }
  const ways = await listFailingBaseHints(parts, commit);
  const found = failing.map((run) => {
    const isRequired = isSetupCommand(parts, run);
    const message = isRequired
      ? `project.setup fails on ${branch}, so no agent can get a worktree.`
      : `${describeFailingDiagnostic(run, branch)}, so only a task that fixes it can pass.`;
    const hints = isRequired ? ['Fix project.setup in .blueflame.yml, or what it needs.'] : ways;
    return check.missing(message, { isRequired, details: lastLines(run.output), hints });
  });
  return [...found, ...warnings];
}

function untried(why: string, hints: readonly string[] = []): DoctorFinding {
  return check.weaker(`The diagnostics were not tried on the base: ${why}.`, { hints });
}
