import type { GitPort } from '../../domain/ports/git-port.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';
import { describeUnproven, readProvenVersions } from './proven-versions.ts';

const oldestNode = [20, 19] as const;

/** The programs everything rests on, with their versions. */
export async function examinePrograms(
  { used, versions, weaker }: ConfiguredAdapters,
  git: Pick<GitPort, 'repository'>,
): Promise<readonly Finding[]> {
  // An older git was refused when the repository was opened.
  const gitFinding = finding({
    ...{ area: 'programs', check: 'git', result: 'proven' },
    message: `git ${git.repository.gitVersion}`,
  });
  const agents = [...versions].flatMap(([name, version]) => {
    const isRequired = used.includes(name);
    const base = { area: 'programs', check: name, isRequired } as const;
    if (typeof version === 'string')
      return [
        finding({
          ...base,
          result: 'proven',
          message: `${name} ${version}${isRequired ? '' : ', not used here'}`,
        }),
        ...(isRequired ? describeLimits(name, version, weaker.get(name) ?? []) : []),
      ];
    const { message, hints, lines: details } = version;
    return isRequired ? [finding({ ...base, result: 'missing', message, hints, details })] : [];
  });
  return [gitFinding, examineNode(), ...agents];
}

/** What is not known of this version, and what holds less firmly with the CLI than with others. */
function describeLimits(name: string, version: string, weaker: readonly string[]): readonly Finding[] {
  const base = { area: 'programs', result: 'weaker' } as const;
  const known = readProvenVersions().get(name);
  const unproven = known === undefined ? null : describeUnproven(name, version, known);
  return [
    ...(unproven === null ? [] : [finding({ ...base, check: `version-${name}`, message: unproven })]),
    ...(weaker.length === 0
      ? []
      : [
          finding({
            ...base,
            check: `limits-${name}`,
            message: `With ${name} not everything is as with claude.`,
            details: weaker,
          }),
        ]),
  ];
}

function examineNode(): Finding {
  const { version } = process;
  const [major = 0, minor = 0] = version.slice(1).split('.').map(Number);
  const isNew = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return finding({
    ...{ area: 'programs', check: 'node' },
    result: isNew ? 'proven' : 'missing',
    message: isNew ? `node ${version}` : `node ${version} is older than ${oldestNode.join('.')}.`,
    hints: isNew ? [] : [`Install node ${oldestNode.join('.')} or newer.`],
  });
}
