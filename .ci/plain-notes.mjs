// Writes, out of the schemas of notes, functions that say yes to what surely matches one and comes out of it as it went
// in: all keys known and in their order, nothing left to be filled in. Most notes are so, and to check them this way
// needs neither the schemas nor their library, which take longer to load than a short command takes. What they say no to
// is left to the schema. A part of a schema that is not known here makes them say no.
import { build } from 'esbuild';

const name = 'flame:plain-notes';
const source = 'lib/store/notes/note-schemas.ts';

/** For esbuild: the module of that name, see lib/domain/state/plain-notes.d.ts. */
export function plainNotes() {
  let text = null;
  return {
    name: 'plain-notes',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^flame:plain-notes$/ }, () => ({ path: name, namespace: 'plain' }));
      onLoad({ filter: /./, namespace: 'plain' }, async () => {
        text ??= writeModule();
        return { contents: await text, loader: 'js' };
      });
    },
  };
}

async function writeModule() {
  const { noteSchemas, partSchemas } = await loadSchemas();
  const writer = new Writer();
  const notes = Object.entries(noteSchemas).map(
    ([key, { schema }]) => `${key}: (v) => ${writer.test(schema, 'v')}`,
  );
  const parts = Object.entries(partSchemas).map(
    ([key, schema]) => `export const ${key} = (v) => ${writer.copy(schema, 'v')};`,
  );
  return [...writer.functions, `export const isPlain = {\n  ${notes.join(',\n  ')},\n};`, ...parts, ''].join(
    '\n',
  );
}

async function loadSchemas() {
  const { outputFiles } = await build({
    entryPoints: [source],
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString('base64')}`);
}

class Writer {
  functions = [];
  #tests = new Map();
  #copies = new Map();
  /** By what they say. */
  #texts = new Map();

  /** An expression that is true where `v`, which came out of JSON, is plain. */
  test(schema, v) {
    const { def } = schema._zod;
    const checks = (def.checks ?? []).map((check) => this.#check(check, v));
    if (checks.includes(null)) return 'false';
    const kind = this.#kind(schema, def, v);
    return kind === null ? 'false' : [kind, ...checks].join(' && ');
  }

  #kind(schema, def, v) {
    switch (def.type) {
      case 'string':
        return `typeof ${v} === 'string'`;
      case 'number':
        return def.format === 'safeint'
          ? `Number.isSafeInteger(${v})`
          : def.format === undefined
            ? `Number.isFinite(${v})`
            : null;
      case 'boolean':
        return `typeof ${v} === 'boolean'`;
      case 'null':
        return `${v} === null`;
      case 'literal':
        return oneOf(def.values, v);
      case 'enum':
        return oneOf(Object.values(def.entries), v);
      case 'nullable':
        return `(${v} === null || (${this.test(def.innerType, v)}))`;
      // Out of JSON comes no undefined: whether the key may be missing is its object's matter.
      case 'optional':
      case 'default':
        return `(${this.test(def.innerType, v)})`;
      case 'pipe':
        return isIdentity(def.out) ? `(${this.test(def.in, v)})` : null;
      case 'array':
        return this.#call(this.#tests, schema, v, () => this.#array(def));
      case 'record':
        return this.#call(this.#tests, schema, v, () => this.#record(def));
      case 'object':
        return this.#call(this.#tests, schema, v, () => this.#object(def));
      case 'union':
        return def.discriminator === undefined
          ? null
          : this.#call(this.#tests, schema, v, () => this.#choice(def));
      default:
        return null;
    }
  }

  /** An expression for a copy of `v`, which matches the schema, without what the schema doesn't name. */
  copy(schema, v) {
    const { def } = schema._zod;
    switch (def.type) {
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
      case 'literal':
      case 'enum':
        return v;
      case 'nullable':
      case 'optional':
        return isScalar(def.innerType) ? v : `(${v} == null ? ${v} : ${this.copy(def.innerType, v)})`;
      case 'pipe':
        if (isIdentity(def.out)) return this.copy(def.in, v);
        break;
      case 'array':
        return isScalar(def.element) ? v : `${v}.map((v) => ${this.copy(def.element, 'v')})`;
      case 'object':
        return this.#call(this.#copies, schema, v, () => {
          const rows = Object.entries(def.shape).map(
            ([key, part]) => `${JSON.stringify(key)}: ${this.copy(part, `v.${key}`)}`,
          );
          return `return { ${rows.join(', ')} };`;
        });
    }
    throw new Error(`.ci/plain-notes.mjs can't copy a ${def.type}.`);
  }

  #call(known, schema, v, body) {
    if (!known.has(schema))
      known.set(
        schema,
        this.#named(body(), (name, text) => `function ${name}(v) {\n${text}\n}`),
      );
    return `${known.get(schema)}(${v})`;
  }

  #named(text, write) {
    const name = this.#texts.get(text) ?? `it${this.#texts.size}`;
    if (!this.#texts.has(text)) this.functions.push(write(name, text));
    this.#texts.set(text, name);
    return name;
  }

  #array({ element }) {
    return `if (!Array.isArray(v)) return false;
for (const e of v) if (!(${this.test(element, 'e')})) return false;
return true;`;
  }

  #record({ keyType, valueType, partial, mode }) {
    // Of keys that are all asked for none may be missing.
    if (mode !== undefined || (keyType._zod.values !== undefined && partial !== true)) return 'return false;';
    return `if (typeof v !== 'object' || v === null || Array.isArray(v)) return false;
for (const k of Object.keys(v)) {
  const e = v[k];
  if (k === '__proto__' || k === 'constructor' || !(${this.test(keyType, 'k')}) || !(${this.test(valueType, 'e')})) return false;
}
return true;`;
  }

  #object({ shape, catchall }) {
    if (catchall !== undefined && catchall._zod.def.type !== 'never') return 'return false;';
    const rows = Object.entries(shape).map(([key, part]) => {
      const [name, value] = [JSON.stringify(key), `v.${key}`];
      const test = this.test(part, value);
      return part._zod.def.type === 'optional'
        ? `if (k[at] === ${name}) { if (!(${test})) return false; at += 1; }`
        : `if (k[at++] !== ${name} || !(${test})) return false;`;
    });
    return `if (typeof v !== 'object' || v === null || Array.isArray(v)) return false;
const k = Object.keys(v);
let at = 0;
${rows.join('\n')}
return at === k.length;`;
  }

  #choice({ discriminator, options }) {
    const rows = options.map((option) => {
      const { values } = option._zod.def.shape[discriminator]._zod.def;
      return `if (${oneOf(values, `v.${discriminator}`)}) return ${this.test(option, 'v')};`;
    });
    return `if (typeof v !== 'object' || v === null) return false;\n${rows.join('\n')}\nreturn false;`;
  }

  /** null: not known here. */
  #check(check, v) {
    const { def } = check._zod;
    switch (def.check) {
      case 'min_length':
        return `${v}.length >= ${def.minimum}`;
      case 'max_length':
        return `${v}.length <= ${def.maximum}`;
      case 'greater_than':
        return `${v} ${def.inclusive ? '>=' : '>'} ${def.value}`;
      case 'less_than':
        return `${v} ${def.inclusive ? '<=' : '<'} ${def.value}`;
      case 'string_format':
        return def.format === 'regex' ? `${this.#regex(def.pattern)}.test(${v})` : null;
      case 'number_format':
        // Beside its own type it says nothing.
        return def.format === 'safeint' ? 'true' : null;
      case 'custom':
        return def.fn?.refused instanceof RegExp ? `!${this.#regex(def.fn.refused)}.test(${v})` : null;
      default:
        return null;
    }
  }

  #regex(pattern) {
    if (pattern.global || pattern.sticky) throw new Error(`${pattern} remembers where it was.`);
    return this.#named(String(pattern), (name, text) => `const ${name} = ${text};`);
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

function isScalar(schema) {
  const { type, innerType, in: from } = schema._zod.def;
  if (type === 'nullable' || type === 'optional') return isScalar(innerType);
  if (type === 'pipe') return isScalar(from);
  return ['string', 'number', 'boolean', 'null', 'literal', 'enum'].includes(type);
}
