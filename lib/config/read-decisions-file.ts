import { decisionsFileSchema, type ParsedDecisionsFile } from '../domain/config/decisions-file-schema.ts';
import { FlameError } from '../domain/flame-error.ts';
import { listDecisionsFileForms } from '../domain/questions/offered-answers.ts';
import { nearestName } from '../util/nearest-name.ts';
import { checkYamlAgainstSchema, findValueAtPath } from './check-yaml-value.ts';
import { locateInYaml } from './locate-value.ts';
import { throwFileProblems } from './throw-file-problems.ts';
import { type FileProblem, readYamlSource, type YamlSource } from './yaml-source.ts';

/** Describes the forms of a list's entries. */
function formsOf(list: keyof ParsedDecisionsFile): string {
  const forms = listDecisionsFileForms(list);
  const words = forms.flatMap(({ word }) => word ?? []);
  const maps = forms.flatMap(({ key, usage = '', beside = [] }) =>
    key === undefined ? [] : `{${key}: ${usage}}${beside.length === 0 ? '' : ` (also with ${beside.join(', ')})`}`,
  );
  const others = list === 'changesets' ? ['a map from cohesion groups to one of these'] : [];
  const all = [...words, ...maps, ...others];
  return `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`;
}

/**
 * Reads the answers of `--decisions-file`, as YAML or JSON. File names in it stay as written: relative to the
 * decisions file. Throws one FlameError `bad-decisions` with all mistakes in it.
 */
export function readDecisionsFile(text: string, fileName: string): ParsedDecisionsFile {
  const source = readYamlSource(text, fileName);
  const { value, raw, problems } = checkYamlAgainstSchema(decisionsFileSchema, source);
  throwFileProblems(
    source,
    problems.map((problem) => nameKey(source, raw, problem) ?? nameForms(problem)),
    (message, init) =>
      new FlameError({
        ...init,
        kind: 'environment',
        code: 'bad-decisions',
        message,
        hints: ['git flame run -h'],
      }),
  );
  return value ?? decisionsFileSchema.parse({});
}

/** The keys an entry of a list may have; none: it is no list. */
function keysOf(list: string): readonly string[] {
  if (!isList(list)) return [];
  return [
    ...new Set(
      listDecisionsFileForms(list).flatMap(({ key, beside = [] }) => (key === undefined ? [] : [key, ...beside])),
    ),
  ];
}

function isList(name: string): name is keyof ParsedDecisionsFile {
  return name in decisionsFileSchema.shape;
}

/** Names the key that an entry can't have; null: it has none. */
function nameKey(source: YamlSource, raw: unknown, problem: FileProblem): FileProblem | null {
  const [, list = '', index = '', key] = /^(\w+)\[(\d+)\](?:\.(\w+))?$/.exec(problem.path) ?? [];
  if (key !== undefined && problem.message !== 'is not a known key') return null;
  const known = keysOf(list);
  const entry = findValueAtPath(raw, [list, Number(index)]);
  if (known.length === 0 || typeof entry !== 'object' || entry === null) return null;
  const written = Object.keys(entry);
  // Else its keys are cohesion groups.
  const isDecision = list !== 'changesets' || written.some((one) => known.includes(one));
  const wrong = isDecision ? (key ?? written.find((one) => !known.includes(one))) : undefined;
  if (wrong === undefined) return null;
  const near = nearestName(wrong, known);
  const hint = near === null ? `its keys are ${known.join(', ')}` : `did you mean ${near}?`;
  return {
    path: `${list}[${index}].${wrong}`,
    message: 'is not a known key',
    hint,
    ...locateInYaml(source, [list, Number(index), wrong], 'key'),
  };
}

/** Says what an entry may be where it is none of it. */
function nameForms(problem: FileProblem): FileProblem {
  const list = /^(\w+)\[\d+\]$/.exec(problem.path)?.[1];
  return list === undefined || !isList(list)
    ? problem
    : { ...problem, message: 'is not a decision of this list', hint: `write ${formsOf(list)}` };
}
