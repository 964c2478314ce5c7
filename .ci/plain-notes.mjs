// Writes, out of the schemas of notes, functions that say yes to what surely matches one and comes out of it as it went
// in. Most notes are so, and to check them this way needs neither the schemas nor zod, which take longer to load than a
// short command takes. What they say no to is left to the schema, and so is a part of one that is not known here.
import { build } from 'esbuild';

/** For esbuild: the module of that name, see lib/domain/state/plain-notes.d.ts. */
export function plainNotes() {
  let text = null;
  return {
    name: 'plain-notes',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^flame:plain-notes$/ }, ({ path }) => ({ path, namespace: 'plain' }));
      onLoad({ filter: /./, namespace: 'plain' }, async () => {
        text ??= writeModule();
        return { contents: await text };
      });
    },
  };
}

async function writeModule() {
  const { outputFiles } = await build({
    entryPoints: ['lib/store/notes/note-schemas.ts'],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node20',
    format: 'esm',
  });
  const source = Buffer.from(outputFiles[0].text).toString('base64');
  const { noteSchemas } = await import(`data:text/javascript;base64,${source}`);
  const rows = Object.entries(noteSchemas).map(([name, { schema }]) => `${name}: (v) => ${test(schema, 'v')}`);
  return `
const isRecord = (v) => typeof v === 'object' && v !== null && !Array.isArray(v);
const hasOnly = (v, keys) => Object.keys(v).every((key) => keys.has(key));
${functions.join('\n')}
export const isPlain = { ${rows.join(',\n')} };`;
}

/** What is named, since it is used more than once; each by its text. */
const functions = [];
const names = new Map();

function named(text) {
  if (!names.has(text)) {
    names.set(text, `p${names.size}`);
    functions.push(`const ${names.get(text)} = ${text};`);
  }
  return names.get(text);
}

/** An expression that is true where `v`, which came out of JSON, is plain; what is missing never is. */
function test(schema, v) {
  const { def } = schema._zod;
  return all([testKind(def, v), ...(def.checks ?? []).map(({ _zod }) => testCheck(_zod.def, v))]);
}

function all(parts) {
  return parts.includes('false') ? 'false' : parts.join(' && ');
}

function testKind(def, v) {
  switch (def.type) {
    case 'string':
    case 'boolean':
      return `typeof ${v} === '${def.type}'`;
    case 'number':
      if (def.format === 'safeint') return `Number.isSafeInteger(${v})`;
      return def.format === undefined ? `Number.isFinite(${v})` : 'false';
    case 'null':
      return `${v} === null`;
    case 'literal':
      return oneOf(def.values, v);
    case 'enum':
      return oneOf(Object.values(def.entries), v);
    case 'nullable':
      return `(${v} === null || ${test(def.innerType, v)})`;
    // Whether the key may be missing is its object's matter.
    case 'optional':
    case 'default':
      return test(def.innerType, v);
    case 'pipe':
      return isIdentity(def.out) ? test(def.in, v) : 'false';
    case 'array':
      return `(Array.isArray(${v}) && ${v}.every(${named(`(v) => ${test(def.element, 'v')}`)}))`;
    case 'record':
      return `${named(testRecord(def))}(${v})`;
    case 'object':
      return `${named(testObject(def))}(${v})`;
    case 'union':
      return def.discriminator === undefined ? 'false' : `${named(testChoice(def))}(${v})`;
    default:
      return 'false';
  }
}

function testRecord({ keyType, valueType, partial, mode }) {
  // Of keys that are all asked for none may be missing.
  if (mode !== undefined || (keyType._zod.values !== undefined && partial !== true)) return '() => false';
  // zod passes over such keys.
  const entry = all([`k !== '__proto__' && k !== 'constructor'`, test(keyType, 'k'), test(valueType, 'v')]);
  return `(v) => isRecord(v) && Object.entries(v).every(([k, v]) => ${entry})`;
}

function testObject({ shape, catchall }) {
  if (catchall !== undefined) return '() => false';
  const keys = named(`new Set(${JSON.stringify(Object.keys(shape))})`);
  const parts = Object.entries(shape).map(([key, part]) => {
    const value = test(part, `v.${key}`);
    return part._zod.def.type === 'optional' ? `(v.${key} === undefined || ${value})` : value;
  });
  return `(v) => ${all(['isRecord(v)', `hasOnly(v, ${keys})`, ...parts])}`;
}

function testChoice({ discriminator, options }) {
  const rows = options.map((option) => {
    const { values } = option._zod.def.shape[discriminator]._zod.def;
    return `${oneOf(values, `v.${discriminator}`)} ? ${test(option, 'v')} : `;
  });
  return `(v) => isRecord(v) && (${rows.join('')}false)`;
}

function testCheck({ check, format, minimum, maximum, inclusive, value, pattern, fn }, v) {
  switch (check) {
    case 'min_length':
      return `${v}.length >= ${minimum}`;
    case 'max_length':
      return `${v}.length <= ${maximum}`;
    case 'greater_than':
      return `${v} >${inclusive ? '=' : ''} ${value}`;
    case 'less_than':
      return `${v} <${inclusive ? '=' : ''} ${value}`;
    case 'string_format':
      return format === 'regex' ? `${named(String(pattern))}.test(${v})` : 'false';
    case 'number_format':
      // Beside its own type it says nothing.
      return format === 'safeint' ? 'true' : 'false';
    case 'custom':
      return fn?.refused instanceof RegExp ? `!${named(String(fn.refused))}.test(${v})` : 'false';
    default:
      return 'false';
  }
}

function oneOf(values, v) {
  return `(${values.map((value) => `${v} === ${JSON.stringify(value)}`).join(' || ')})`;
}

/** A transform that gives what it is given, but for what is missing. */
function isIdentity(schema) {
  const { type, transform } = schema._zod.def;
  return type === 'transform' && /^\((\w+)\) => \1(?: \?\? null)?$/.test(String(transform));
}
