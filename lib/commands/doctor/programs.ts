import type { GitPort } from '../../domain/ports/git-port.ts';
import { type Finding, finding } from '../../domain/shown/finding.ts';
import type { ConfiguredAdapters } from './configured-adapters.ts';

const oldestNode = [20, 19] as const;

/** The programs everything rests on, with their versions. */
export async function examinePrograms(
  { used, versions }: ConfiguredAdapters,
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
      ];
    const { message, hints, lines: details } = version;
    return isRequired ? [finding({ ...base, result: 'missing', message, hints, details })] : [];
  });
  return [gitFinding, examineNode(), ...agents];
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
