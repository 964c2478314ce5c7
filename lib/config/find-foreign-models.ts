import { exampleModels, foreignModel } from '../domain/config/agent-clis.ts';
import type { Config } from '../domain/config/config.ts';
import { type ConfiguredChoice, configuredChoices } from '../domain/config/role-settings.ts';
import { renderPath } from './describe-issue.ts';
import { isWritten, locate } from './locate-value.ts';
import type { Problem, ValuePath } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

/**
 * Models that the CLI they are configured with can't be meant to ask, since their names are those of another one's. Names that
 * nobody's table holds pass: a service of the person's own may have them.
 */
export function findForeignModels(config: Config, source: YamlSource): readonly Problem[] {
  const found = configuredChoices(config)
    .filter((choice) => choice.role !== 'queen' || isAskedFor(source))
    .flatMap((choice) => {
      const why = foreignModel(choice.adapter, choice.model, config.models.prices);
      return why === null ? [] : [problemOf(choice, why, source)];
    });
  // The default of all roles is one mistake, not one for each role.
  return found.filter(({ path }, index) => found.findIndex((other) => other.path === path) === index);
}

/** Who leads is started by a person's word alone: what is said of all roles says nothing of this one. */
function isAskedFor(source: YamlSource): boolean {
  return isWritten(source, ['models', 'queen']) || isWritten(source, ['roles', 'queen', 'adapter']);
}

function problemOf(
  { role, group, adapter, model }: ConfiguredChoice,
  why: string,
  source: YamlSource,
): Problem {
  const places: readonly ValuePath[] = [
    ...(group === null
      ? []
      : [
          ['models', 'groups', group, role],
          ['models', 'groups', group],
        ]),
    ['models', role],
    ['models', 'default'],
    ['roles', role, 'adapter'],
    ['roles', 'default', 'adapter'],
  ];
  const place = places.find((one) => isWritten(source, one)) ?? ['models', role];
  const examples = `name one of its models, such as ${exampleModels(adapter)}`;
  return {
    path: renderPath(place),
    message: `${why}, and the ${role} runs with ${adapter}`,
    hint:
      model === ''
        ? `${examples}: models: { default: … }`
        : `${examples}; or, where a service of your own has it, say what it costs: models.prices`,
    ...locate(source, place, 'value'),
  };
}
