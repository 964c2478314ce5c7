import type { AgentPolicy } from '../domain/policy.ts';
import { pathMatches } from '../util/path-globs.ts';
import { type Objection, objection } from './rules.ts';

const styles: Readonly<Record<string, RegExp>> = {
  snake_case: /^[a-z0-9]+(?:_[a-z0-9]+)*$/,
  'kebab-case': /^[a-z0-9]+(?:-[a-z0-9]+)*$/,
  camelCase: /^[a-z][a-zA-Z0-9]*$/,
  PascalCase: /^[A-Z][a-zA-Z0-9]*$/,
};

/**
 * Returns the objection to the name of a new file under validation.file_naming; null: none. Only the first part of
 * `Button.test.tsx` is held to the style, the middle ones may be plain lower-case words; dot files are free.
 */
export function fileNameProblem(policy: AgentPolicy, path: string): Objection | null {
  const style = policy.naming_style;
  if (style === null || !policy.naming_globs.some((glob) => pathMatches(glob, path, policy.literal_paths)))
    return null;
  const name = path.split('/').at(-1) ?? '';
  if (name.startsWith('.') || followsStyle(name, style)) return null;
  return objection('file-name', `${path} is not named in ${style}. Choose a name like ${example(style)}.`);
}

function followsStyle(name: string, style: string): boolean {
  const pattern = styles[style];
  const [first = '', ...others] = name.split('.').slice(0, Math.max(1, name.split('.').length - 1));
  const middle = others.every((part) => /^[a-z0-9]*$/.test(part) || pattern?.test(part) === true);
  // `__init__.py`, `[id].tsx` and `(group)` carry marks that mean something to a framework.
  return middle && pattern?.test(first.replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')) === true;
}

function example(style: string): string {
  const examples: Readonly<Record<string, string>> = {
    snake_case: 'order_list.ts',
    'kebab-case': 'order-list.ts',
    camelCase: 'orderList.ts',
    PascalCase: 'OrderList.ts',
  };
  return examples[style] ?? style;
}
