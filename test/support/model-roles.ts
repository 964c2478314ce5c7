import type { Role } from '../../lib/domain/role.ts';
import type { ModelRequest } from './model-request.ts';
import type { ModelScript, Reply } from './model-server.ts';

/** Steps of a conversation: the first answers turn 1, the second turn 2; after the last, `done.`. */
export type Steps = readonly Reply[];
export type RoleScript = Steps | ((request: ModelRequest) => Steps);

/** Answers by who asks: the system part names the role, the prompt the task. A role without a script only talks. */
export function roleScript(scripts: Partial<Record<Role, RoleScript>>): ModelScript {
  return (request) => {
    const role = roleOf(request);
    const script = role === null ? undefined : scripts[role];
    const steps = typeof script === 'function' ? script(request) : (script ?? []);
    return steps[request.turn - 1] ?? { text: 'done.' };
  };
}

export function roleOf(request: ModelRequest): Role | null {
  const word = request.system.match(/You are (?:a|the) (planner|worker|validator|merger|lead agent) of git-flame/)?.[1];
  return word === 'lead agent' ? 'queen' : ((word as Role | undefined) ?? null);
}

/** The id of the task a worker or validator was asked about. */
export function taskOf(request: ModelRequest): string | null {
  return request.prompt.match(/\btask ([a-z0-9][a-z0-9-]*)\. Material/)?.[1] ?? null;
}

/** The call that gives a structured answer. */
export function structuredAnswer(input: Readonly<Record<string, unknown>>): Reply {
  return { tool: 'StructuredOutput', input };
}
