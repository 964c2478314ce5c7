const modules = /^(?:pytest|unittest|mypy|ruff|black|flake8|isort|pylint|coverage)$/;
// Where a project's own tools are.
const installed = /^(?:\.\/)?(?:node_modules\/\.bin|\.?venv\/bin)\/([\w.-]+)$/;
const pythons = ['python', 'python3'];

export function isInstalledPath(text: string): boolean {
  return installed.test(text);
}

/** Other spellings of a command that start the same program: an entry for one of them is an entry for all. */
export function equivalents(name: string, args: readonly string[]): readonly (readonly string[])[] {
  const [first = '', second = '', ...rest] = args;
  if (pythons.includes(name)) {
    const others = pythons.filter((one) => one !== name).map((one) => [one, ...args]);
    return first === '-m' && /^[\w.]+$/.test(second) ? [...others, ...moduleForms(second, rest)] : others;
  }
  if (name === 'npx' || name === 'bunx') return toolForms(first, args.slice(1));
  if (/^(?:npm|pnpm|yarn|uv|poetry|pipenv|pdm|rye|hatch)$/.test(name) && /^(?:exec|run|dlx)$/.test(first))
    return runForms(name, [first, second, ...rest]);
  const bin = installed.exec(name)?.[1];
  if (bin !== undefined) return [...toolForms(bin, args), ...equivalents(bin, args)];
  return /^[\w.-]+$/.test(name)
    ? [...(modules.test(name) ? moduleForms(name, args) : []), ...toolForms(name, args)]
    : [];
}

function moduleForms(module: string, args: readonly string[]): readonly (readonly string[])[] {
  return [[module, ...args], ...pythons.map((name) => [name, '-m', module, ...args])];
}

function toolForms(tool: string, args: readonly string[]): readonly (readonly string[])[] {
  return /^[\w@/.-]+$/.test(tool)
    ? [
        [tool, ...args],
        ['npx', tool, ...args],
      ]
    : [];
}

/** `npm run test` is `npm test`; `npm exec tsc` and `uv run pytest` are tsc and pytest. */
function runForms(
  name: string,
  [verb = '', tool = '', ...args]: readonly string[],
): readonly (readonly string[])[] {
  if (/^(?:npm|pnpm|yarn)$/.test(name) && verb === 'run')
    return [[name, tool, ...args]].filter(() => tool === 'test');
  const own = args[0] === '--' ? args.slice(1) : args;
  if (verb === 'dlx') return [];
  return [
    ...toolForms(tool, own),
    ...(tool.startsWith('python') && own[0] === '-m' ? moduleForms(own[1] ?? '', own.slice(2)) : []),
  ];
}
