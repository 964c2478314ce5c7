import { exampleModels, foreignModel } from '../domain/config/agent-clis.ts';
import type { Config } from '../domain/config/config.ts';
import { type ConfiguredChoice, configuredChoices } from '../domain/config/role-settings.ts';
import { renderPath } from './describe-issue.ts';
import { isWritten, locate } from './locate-value.ts';
import type { Problem, ValuePath } from './problem.ts';
import type { YamlSource } from './yaml-source.ts';

/**
 * Finds models whose names belong to another CLI than the one they are configured with. Unknown names pass: the
 * person's own service may have them.
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

/** The lead agent starts only where a person asks for it: settings of all roles don't ask for it. */
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
