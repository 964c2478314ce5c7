import type { AgentPolicy } from '../domain/agent-policy.ts';
import type { Config } from '../domain/config/config-schema.ts';
import { configuredRegistriesEntry, readEgressHosts } from '../domain/config/egress.ts';
import { listUnreadablePaths } from '../domain/config/hidden-paths.ts';
import type { NotesForPrompt, ProjectInstructionsFile, PromptData } from '../domain/ports/prompt-port.ts';
import type { LineComment } from '../domain/state/line-comment.ts';
import { renderLineRange } from '../domain/state/line-range.ts';
import type { HistoryEntry } from '../domain/state/task-schema.ts';
import type { DiagnosticRun } from '../domain/state/verdict.ts';
import { formatLineRanges } from '../util/format-figures.ts';
import { unreachable } from '../util/unreachable.ts';

export type TemplateVariables = Readonly<Record<string, unknown>>;

// A prompt that doesn't fit the model's context is a failed run: what may be long is cut and marked as cut.
const limits = {
  files: 8_000,
  readme: 4_000,
  memory: 12_000,
  diff: 120_000,
  earlier: 20_000,
  output: 1_500,
  attempts: 8,
};

/** Returns the names a template can use: the data of its role, and its rules. Outside text is cut to size. */
export function buildTemplateVariables(data: PromptData, config: Config): TemplateVariables {
  switch (data.role) {
    case 'planner':
    case 'queen':
      return {
        ...data,
        files: cutText(data.files, limits.files),
        readme: cutText(data.readme, limits.readme),
        memory: cutText(data.memory, limits.memory),
        ...projectRules(config),
      };
    case 'worker':
      return {
        task: data.task,
        ...policyRules(data.policy),
        checks: checksOf(config),
        network: reachedBy(config),
        earlier: cutText(data.earlier ?? '', limits.earlier),
        isKept: data.isKept ?? false,
        askTool: data.askTool ?? '',
        left: describeLeft(data.left),
        below: (data.below ?? []).slice(-limits.attempts).map(({ id, title }) => `${id}: ${title}`),
        attempts: data.task.history
          .slice(-limits.attempts)
          .map((entry, index, { length }) => describeAttempt(entry, index === length - 1)),
        // Of the latest reject, also when an attempt after it failed.
        comments: (data.task.history.findLast(({ result }) => result === 'rejected')?.comments ?? []).map(
          describeComment,
        ),
      };
    case 'validator':
      return {
        task: data.task,
        ...policyRules(data.policy),
        diff: cutText(data.diff, limits.diff) || 'The change is empty.',
        refused: data.audit.top,
        checks: data.diagnostics.map(describeCheck),
        left: describeLeft(data.left),
        claims: data.claims ?? [],
      };
    case 'merger':
      return {
        group: data.group,
        tasks: data.tasks,
        others: data.others,
        paths: data.paths,
        messages: data.messages.slice(0, 50),
        ...policyRules(data.policy),
      };
    default:
      return unreachable(data);
  }
}

function projectRules(config: Config): TemplateVariables {
  const { permissions, validation, concurrency, project } = config;
  return {
    baseBranch: project.base_branch ?? 'the current one',
    maxParallel: concurrency.development,
    allowedPaths: permissions.allowed_paths,
    blockedPaths: outOfBounds(permissions.blocked_paths, listUnreadablePaths(permissions)),
    commands: permissions.bash_rules.allowed_commands,
    commitFormat: commitFormat(validation.commit_format.pattern, validation.commit_format.example),
    diagnostics: checksOf(config),
  };
}

function checksOf({ validation }: Config): readonly string[] {
  const { enabled, commands } = validation.validator_diagnostics;
  return enabled ? commands : [];
}

/** Lists the hosts that an agent's cell reaches; which registries the person has is not for a model. */
function reachedBy({ sandbox }: Config): readonly string[] {
  const { work } = sandbox.egress;
  const own = work.includes(configuredRegistriesEntry) ? ['the package registries that your tools are set up for'] : [];
  return [...readEgressHosts(work), ...own];
}

/** The repository's own words to agents, no longer than they may be: what is cut is marked as cut. */
export function renderGuidanceFiles(files: readonly ProjectInstructionsFile[], { prompts }: Config): string {
  const texts = files.map(({ path, text }) => `${path}:\n${text}`);
  return cutText(texts.join('\n\n'), prompts.max_characters);
}

function policyRules(policy: AgentPolicy): TemplateVariables {
  return {
    fileLocks: policy.file_locks,
    allowedPaths: policy.allowed_paths,
    blockedPaths: outOfBounds(policy.blocked_paths, policy.hidden_paths),
    commands: [...policy.allowed_commands, ...policy.exact_commands, ...(policy.base_commands ?? [])],
    exactCommands: policy.exact_commands,
    commitFormat: commitFormat(policy.commit_pattern, policy.commit_example),
    namingRule: policy.naming_style === null ? '' : `${policy.naming_style}, for ${policy.naming_globs.join(', ')}`,
    requiresTests: policy.require_tests !== null,
  };
}

function outOfBounds(blocked: readonly string[], hidden: readonly string[]): readonly string[] {
  return [
    ...blocked.filter((glob) => !hidden.includes(glob)),
    ...(hidden.length === 0 ? [] : [`nor see: ${hidden.join(', ')}`]),
  ];
}

function commitFormat(pattern: string, example: string): string {
  const parts = [
    pattern === '' ? '' : `The message must match the regular expression ${pattern}`,
    example === '' ? '' : `Example: ${example}`,
  ];
  return parts.filter((part) => part !== '').join('\n');
}

/** The latest one is what the next attempt must answer to: whole. */
function describeAttempt(entry: HistoryEntry, isLatest: boolean): string {
  const { rejection_reason: rejection, notes } = entry;
  const reason = rejection === null || rejection === notes ? '' : `\nRejected: ${rejection}`;
  const notesText = isLatest ? notes : cutText(notes, limits.output);
  return `Attempt ${entry.attempt}: ${entry.result}. ${notesText}${reason}`;
}

/** The remark, and below it the lines it is about between their neighbours. */
function describeComment({ path, side, line, to, text, excerpt }: LineComment): string {
  const where = `${path}:${renderLineRange({ line, to })}${side === 'old' ? ' (as it was before the change)' : ''}`;
  return excerpt === undefined ? `${where}: ${text}` : `${where}: ${text}\n${excerpt}`;
}

function describeCheck(run: DiagnosticRun): string {
  const end = run.timed_out ? 'took too long' : `exit code ${run.exit_code ?? 'none, ended by a signal'}`;
  const isGood = run.exit_code === 0 && !run.timed_out;
  const ran = describeLinesNotRun(run);
  return isGood ? `${run.command}: ${end}${ran}` : `${run.command}: ${end}${ran}\n${keepEnd(run.output)}`;
}

/** The lines of the change that no test ran, by the coverage reports; '' where none is known. */
function describeLinesNotRun({ coverage }: DiagnosticRun): string {
  const files = coverage?.filter(({ ranges }) => ranges.length > 0).slice(0, 20) ?? [];
  const lines = files.map(({ path, ranges }) => `${path} ${formatLineRanges(ranges, 10)}`);
  return lines.length === 0 ? '' : `\nAdded lines that no test ran: ${lines.join('; ')}`;
}

/** The beginning, with a mark that says how much is missing. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  const kept = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return `${kept}\n[${text.length - kept.length} more characters are left out]`;
}

/** The end of an output, where the reason stands. */
function keepEnd(text: string): string {
  return text.length <= limits.output ? text : `[…]${text.slice(-limits.output)}`;
}

/** Describes the notes that others left, and how much of them is left out. */
function describeLeft(left: NotesForPrompt | undefined): readonly string[] {
  if (left === undefined) return [];
  const words = left.words.map(({ from, text }) => `${from}: ${text}`);
  return left.leftOut === 0 ? words : [...words, `${left.leftOut} more notes are left out.`];
}
