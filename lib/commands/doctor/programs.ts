import type { GitPort } from '../../domain/ports/git-port.ts';
import { checkOf, type Finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';
import { describeUnproven, readProvenVersions } from './proven-versions.ts';

const oldestNode = [20, 19] as const;

/** The programs everything rests on, with their versions. */
export async function examinePrograms(
  { used, versions, weaker }: ConfiguredAdapters,
  git: Pick<GitPort, 'repository'>,
): Promise<readonly Finding[]> {
  // An older git was refused when the repository was opened.
  const gitFinding = checkOf('programs', 'git').proven(`git ${git.repository.gitVersion}`);
  const agents = [...versions].flatMap(([name, version]) => {
    const isRequired = used.includes(name);
    const check = checkOf('programs', name, isRequired);
    if (typeof version !== 'string') return isRequired ? [check.failed(version)] : [];
    if (!isRequired) return [check.proven(`${name} ${version}, not used here`)];
    return [check.proven(`${name} ${version}`), ...describeLimits(name, version, weaker.get(name) ?? [])];
  });
  return [gitFinding, examineNode(), ...agents];
}

/** What is not known of this version, and what holds less firmly with the CLI than with others. */
function describeLimits(name: string, version: string, details: readonly string[]): readonly Finding[] {
  const known = readProvenVersions().get(name);
  const unproven = known === undefined ? null : describeUnproven(name, version, known);
  const limits = `With ${name} not everything is as with claude.`;
  return [
    ...(unproven === null ? [] : [checkOf('programs', `version-${name}`).weaker(unproven)]),
    ...(details.length === 0 ? [] : [checkOf('programs', `limits-${name}`).weaker(limits, { details })]),
  ];
}

function examineNode(): Finding {
  const { version } = process;
  const check = checkOf('programs', 'node');
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]))
    return check.proven(`node ${version}`);
  const oldest = oldestNode.join('.');
  return check.missing(`node ${version} is older than ${oldest}.`, {
    hints: [`Install node ${oldest} or newer.`],
  });
}
