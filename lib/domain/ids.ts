import { FlameError } from './flame-error.ts';

declare const brand: unique symbol;

/** A string that only its own parser makes, so that one kind of name can't be passed for another. */
type Brand<Name extends string> = string & { readonly [brand]: Name };

export type SessionId = Brand<'SessionId'>;
export type TaskId = Brand<'TaskId'>;
export type AgentId = Brand<'AgentId'>;
/** A full object name: 40 hex digits (sha1) or 64 (sha256). */
export type ObjectId = Brand<'ObjectId'>;
/** A full ref name, `refs/…`. */
export type RefName = Brand<'RefName'>;

export const sessionIdPattern = /^ses-\d{8}-\d{6}-[0-9a-f]{4}$/;
/** Safe as a path segment, a ref segment and a word of a shell. */
export const taskIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
export const agentIdPattern = /^(?:planner|worker|validator|merger|queen|check|canary)-[0-9a-f]{8}$/;
export const objectIdPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** Session ids look like `ses-20260206-143022-1a2b`. Throws a FlameError `bad-session-id`. */
export function parseSessionId(text: string): SessionId {
  return parseId(text, sessionIdPattern, 'session-id') as SessionId;
}

/** Task ids are lower-case words joined by hyphens, at most 64 characters: `task-001`. */
export function parseTaskId(text: string): TaskId {
  return parseId(text, taskIdPattern, 'task-id') as TaskId;
}

/** Agent ids are `<role>-<8 hex digits>`. */
export function parseAgentId(text: string): AgentId {
  return parseId(text, agentIdPattern, 'agent-id') as AgentId;
}

export function parseObjectId(text: string): ObjectId {
  return parseId(text, objectIdPattern, 'object-id') as ObjectId;
}

/** Accepts what `git check-ref-format` would, below `refs/`. */
export function parseRefName(text: string): RefName {
  const ok =
    /^refs\/[^\s~^:?*[\\\u0000-\u001f\u007f]+$/.test(text) && !/\.\.|@\{|\/\/|\/$|\.lock(?:\/|$)|\/\.|\.$/.test(text);
  if (!ok) throw badId(text, 'ref-name');
  return text as RefName;
}

/** `blueflame/<session>/<task>` below refs/heads: moved by the orchestrator alone. */
export function taskBranch(session: SessionId, task: TaskId): RefName {
  return parseRefName(`refs/heads/blueflame/${session}/${task}`);
}

function parseId(text: string, pattern: RegExp, kind: string): string {
  if (!pattern.test(text)) throw badId(text, kind);
  return text;
}

function badId(text: string, kind: string): FlameError {
  const noun = kind.replace('-', ' ');
  return new FlameError({
    kind: 'usage',
    code: `bad-${kind}`,
    message: `${JSON.stringify(text.slice(0, 100))} is not a valid ${noun}.`,
    hints: ['git flame status'],
  });
}

const domain = '@agents.invalid';

/**
 * The author of an agent's commits: an address that belongs to no person, so they are never taken for a
 * person's.
 */
export function agentAuthor(agent: string): { readonly name: string; readonly email: string } {
  return { name: agent, email: `${agent}${domain}` };
}

/** Whether an address is one that agents commit by, which their commits are held to. */
export function isAgentAddress(email: string): boolean {
  return email.endsWith(domain);
}

/** An agent's identity as git writes it: `Name <email>`. */
export function agentIdentity(agent: string): string {
  const { name, email } = agentAuthor(agent);
  return `${name} <${email}>`;
}
