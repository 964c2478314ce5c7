import type { AgentPolicy, CallDecision, PathFacts } from '../../lib/domain/agent-policy.ts';
import { type Config, configSchema } from '../../lib/domain/config/config-schema.ts';
import { parseAgentId } from '../../lib/domain/ids.ts';
import { compilePolicy, type PolicyInput } from '../../lib/policy/compile-policy.ts';
import { decideToolCall } from '../../lib/policy/decide-tool-call.ts';
import { realFacts } from './real-facts.ts';

export interface PolicyOptions {
  readonly config?: object;
  readonly role?: PolicyInput['role'];
  readonly worktree?: string;
  readonly locks?: readonly string[];
  readonly extra?: readonly string[];
}

/** A policy compiled from the part of a configuration that matters to a test; locks default to everything. */
export function makePolicy(options: PolicyOptions = {}): AgentPolicy {
  const config: Config = configSchema.parse(options.config ?? {});
  return compilePolicy({
    config,
    role: options.role ?? 'worker',
    agentId: parseAgentId('worker-0a1b2c3d'),
    worktree: options.worktree ?? '/wt',
    fileLocks: options.locks ?? ['.'],
    scratch: options.extra ?? [],
  });
}

/** A folder tree in memory: paths ending in `/` are folders, `a -> b` symlinks. */
export function memoryFacts(root: string, entries: readonly string[]): PathFacts {
  const all = new Map<string, { kind: 'file' | 'directory' | 'symlink'; target: string }>();
  const addFolders = (path: string): void => {
    const parts = path.split('/');
    for (let count = 1; count < parts.length; count += 1) {
      const folder = parts.slice(0, count).join('/') || '/';
      if (!all.has(folder)) all.set(folder, { kind: 'directory', target: '' });
    }
  };
  for (const entry of entries) {
    const [name = '', target] = entry.split(' -> ');
    const path = `${root}/${name.replace(/\/$/, '')}`;
    addFolders(path);
    if (target !== undefined) all.set(path, { kind: 'symlink', target });
    else all.set(path, { kind: name.endsWith('/') ? 'directory' : 'file', target: '' });
  }
  const normal = (path: string): string =>
    `/${path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/')}`;
  return {
    lstat(path) {
      const found = all.get(normal(path));
      return found === undefined ? null : { ...found, links: 1 };
    },
    list(path) {
      const folder = normal(path);
      if (all.get(folder)?.kind !== 'directory') return null;
      const prefix = folder === '/' ? '/' : `${folder}/`;
      return [...all.keys()]
        .filter((one) => one.startsWith(prefix) && !one.slice(prefix.length).includes('/'))
        .map((one) => one.slice(prefix.length))
        .filter((one) => one !== '');
    },
    kindOf: () => null,
  };
}

export function decideBash(
  policy: AgentPolicy,
  command: string,
  options: { readonly facts?: PathFacts; readonly cwd?: string } = {},
): CallDecision {
  const call = { tool_name: 'Bash', tool_input: { command }, cwd: options.cwd ?? policy.worktree };
  return decideToolCall(policy, call, options.facts ?? realFacts);
}
