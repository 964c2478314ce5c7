import { configSchema } from '../../domain/config/config.ts';
import { type ObjectId, parseAgentId } from '../../domain/ids.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import { agentIdentity } from '../../domain/state/agent-identity.ts';
import type { ChangedFile } from '../../domain/state/patch.ts';
import { checkBranch } from '../../policy/check-branch.ts';
import { compilePolicy } from '../../policy/compile-policy.ts';

const agent = agentIdentity('worker-00000000');
const start = '1'.repeat(40) as ObjectId;
const tip = '2'.repeat(40) as ObjectId;

/** Phase 3: a branch in order passes; one that writes a hook and rewrites history is found out by both rules. */
export function examinePostCheck(): readonly Finding[] {
  const check = checkOf('post-check', 'sample-branch');
  const good = rulesBroken('src/a.txt', [start]);
  const bad = rulesBroken('.git/hooks/pre-commit', []);
  if (good.length > 0 || bad.length !== 2) {
    const message = 'The check of finished branches does not distinguish a good sample from a bad one.';
    const details = [`good: ${good.join(', ') || 'passed'}`, `bad: ${bad.join(', ') || 'passed'}`];
    return [check.missing(message, { details })];
  }
  const rules = bad.join(' and ');
  return [
    check.proven(
      `A sample branch that keeps the rules passed, and one that breaks them was refused by ${rules}.`,
    ),
  ];
}

function rulesBroken(path: string, parents: readonly ObjectId[]): string[] {
  const policy = compilePolicy({
    config: configSchema.parse({}),
    role: 'worker',
    agentId: parseAgentId('worker-00000000'),
    worktree: '/sample',
    fileLocks: ['src/'],
  });
  const broken = checkBranch({
    policy,
    start,
    files: [addedFile(path)],
    commits: [
      {
        ...{ oid: tip, tree: start, parents, message: 'feat(sample): add a file' },
        ...{ author: agent, committer: agent, authored: 0, committed: 0 },
      },
    ],
    signer: { identity: agent, began: 0, now: 0 },
    readText: () => 'text\n',
  });
  return [...new Set(broken.map(({ rule }) => rule))];
}

function addedFile(path: string): ChangedFile {
  return {
    path,
    status: 'added',
    oldMode: '000000',
    newMode: '100644',
    oldOid: '0'.repeat(40) as ObjectId,
    newOid: tip,
    size: 5,
    isBinary: false,
  };
}
