/** The tools of a model that leads, in the order clients list them. */
export const leadTools = [
  'create_tasks',
  'drop_tasks',
  'assign_task',
  'wait_for_workers',
  'get_status',
  'get_task_output',
  'approve_task',
  'reject_task',
  'leave_note',
  'read_file',
  'list_files',
  'search_files',
  'complete',
  'fail',
] as const;

export type LeadTool = (typeof leadTools)[number];

/** The name an agent CLI knows our server by, and with it the tools of it: `mcp__flame__get_status`. */
export const leadServerName = 'flame';
/** How long a call may take, in milliseconds: more than the hour that the orchestrator lets one wait for a person. */
export const leadCallTimeoutMs = 3_900_000;
const prefix = `mcp__${leadServerName}__`;

export function fullLeadToolName(tool: LeadTool): string {
  return `${prefix}${tool}`;
}

/** A CLI's name of one of our tools, which begins with `own`, as the policy has it; other names are left as they are. */
export function translateLeadToolName(name: string, own: string): string {
  const tool = leadTools.find((one) => name === `${own}${one}`);
  return tool === undefined ? name : fullLeadToolName(tool);
}

/** Whether a CLI's name of a tool is that of one of ours. */
export function isLeadTool(name: string): boolean {
  return leadTools.some((tool) => fullLeadToolName(tool) === name);
}
