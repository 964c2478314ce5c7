import type { ToolCall } from '../domain/agent-policy.ts';
import { isLeadTool } from '../domain/lead-tools.ts';
import type { Access } from './judge-path.ts';
import { createObjection, type PolicyObjection } from './policy-rules.ts';

interface ToolShape {
  /** Text that must be there. */
  readonly required: readonly string[];
  readonly access: Access;
}

// The tools of the agent CLIs the program drives. A tool that isn't here counts as one that writes.
const shapes: Readonly<Record<string, ToolShape>> = {
  Read: { required: ['file_path'], access: 'read' },
  NotebookRead: { required: ['notebook_path'], access: 'read' },
  LS: { required: ['path'], access: 'read' },
  Glob: { required: ['pattern'], access: 'read' },
  Grep: { required: ['pattern'], access: 'read' },
  Write: { required: ['file_path'], access: 'write' },
  Edit: { required: ['file_path'], access: 'write' },
  MultiEdit: { required: ['file_path'], access: 'write' },
  NotebookEdit: { required: ['notebook_path'], access: 'write' },
  Bash: { required: ['command'], access: 'read' },
};
// The input of these tools is data, not places.
const dataTools = new Set(['StructuredOutput', 'TodoWrite', 'Skill', 'Task', 'Agent', 'AskUserQuestion']);

interface ToolPaths {
  readonly access: Access;
  readonly paths: readonly string[];
  /** Wildcards over paths, relative to `base`. */
  readonly patterns: readonly string[];
  /** Where a search or the patterns start; null: at the folder of the call. */
  readonly base: string | null;
  /** Looks through a folder. */
  readonly isSearch: boolean;
}

/** Every path and path wildcard a call names, wherever in its input. */
export function findPathsOfToolCall(call: ToolCall): ToolPaths | PolicyObjection {
  const shape = shapes[call.tool_name];
  const missing = shape?.required.find((field) => typeof call.tool_input[field] !== 'string');
  if (missing !== undefined) {
    return createObjection(
      'call-malformed',
      `${call.tool_name} needs the text field ${missing}. Call it again with that field.`,
    );
  }
  if (call.tool_name === 'MultiEdit' && !Array.isArray(call.tool_input.edits)) {
    return createObjection('call-malformed', 'MultiEdit needs a list of edits.');
  }
  // Calls of the lead agent's tools are judged where they are carried out.
  if (dataTools.has(call.tool_name) || isLeadTool(call.tool_name)) return nothing;
  if (call.tool_name === 'Bash') return collect(call.tool_input, 0)?.length === 0 ? nothing : elsewhere;
  const paths = collect(call.tool_input, 0);
  if (paths === null) {
    return createObjection(
      'call-malformed',
      `A path of this ${call.tool_name} call is not text. Give every path as text.`,
    );
  }
  const patterns = patternsOf(call);
  if (patterns === null) {
    return createObjection('call-malformed', `A wildcard of this ${call.tool_name} call is not text. Give it as text.`);
  }
  const base = call.tool_input.path;
  return {
    access: shape?.access ?? 'write',
    paths,
    patterns,
    base: typeof base === 'string' ? base : null,
    isSearch: call.tool_name === 'Glob' || call.tool_name === 'Grep',
  };
}

const nothing: ToolPaths = { access: 'read', paths: [], patterns: [], base: null, isSearch: false };
const elsewhere = createObjection(
  'call-malformed',
  'Bash takes only a command, no paths. Use `cd FOLDER && …` in the command.',
);

const pathField = /(?:^|_)(?:path|paths|file|files|filename|filenames|folder|dir|directory|directories|cwd|workdir)$/i;

/** null: a path field that holds something else than text. */
function collect(value: unknown, depth: number): readonly string[] | null {
  if (typeof value !== 'object' || value === null) return [];
  if (depth > 8) return null;
  const found: string[] = [];
  for (const [key, inner] of Object.entries(value)) {
    const isPath = pathField.test(key.replace(/([a-z])([A-Z])/g, '$1_$2'));
    const own = isPath ? pathValues(inner) : [];
    const below = collect(inner, depth + 1);
    if (own === null || below === null) return null;
    found.push(...own, ...below);
  }
  return found;
}

function pathValues(value: unknown): readonly string[] | null {
  if (typeof value === 'string') return [value];
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return typeof value === 'object' ? [] : null;
  const texts = value.filter((one): one is string => typeof one === 'string');
  return texts.length === value.length || value.every((one) => typeof one !== 'number') ? texts : null;
}

/** null: one that holds something else than text. */
function patternsOf(call: ToolCall): readonly string[] | null {
  const fields = call.tool_name === 'Glob' ? ['pattern', 'glob'] : ['glob', 'include'];
  const values = fields.map((field) => call.tool_input[field]).filter((one) => one !== undefined && one !== null);
  const texts = values.filter((value): value is string => typeof value === 'string');
  return texts.length === values.length ? texts : null;
}
