import type { HereDoc, Redirection as RawRedirection, Redirect } from 'unbash';
import { readQuoted, readWord } from './read-word.ts';
import { Refusal } from './refusal.ts';
import { type BashNode, type Redirection, ranIn, type Scope } from './syntax.ts';

/** Where output goes and input comes from, files that are known only when it runs among them. */
export function readRedirections(raw: readonly RawRedirection[], scope: Scope): readonly Redirection[] {
  return raw.flatMap((part) => {
    if (part.descriptor?.type === 'FileDescriptorVariable') {
      throw new Refusal(
        'bash-redirect',
        `{${part.descriptor.name}} opens a file under a variable. Redirect with > or <.`,
      );
    }
    return part.type === 'Redirect' ? readRedirect(part, scope) : [];
  });
}

function readRedirect(part: Redirect, scope: Scope): readonly Redirection[] {
  const target = part.target === undefined ? null : readWord(part.target, scope);
  const isNamed = target !== null && !target.isGlob && target.unknown !== 'status' && target.text !== '';
  if (!isNamed || target.fed !== undefined || target.outputs?.some(({ node }) => node === undefined)) {
    throw new Refusal('bash-redirect', 'A redirection needs one plain file name.');
  }
  if (target.outputs !== undefined && !/^(?:>>?|<|&>>?|>\|)$/.test(part.operator))
    throw new Refusal('bash-redirect', 'Write > FILE 2>&1.');
  const isDescriptor = target.isPlain && /^(?:\d+-?|-)$/.test(target.text);
  if ((part.operator === '>&' || part.operator === '<&') && isDescriptor) return [];
  // `>&1'$(id)'` bash expands a second time, and of `>&-x` it takes the `x` for a word of its own.
  if (part.operator === '>&' && !(target.isPlain && /^[A-Za-z_./][\w./-]*$/.test(target.text)))
    throw new Refusal('bash-redirect', `>&${target.text} can't be judged. Write > FILE 2>&1.`);
  if (part.operator === '<&') throw new Refusal('bash-redirect', `<&${target.text} is not a descriptor.`);
  const access = part.operator === '<' ? 'read' : 'write';
  return [{ access, target: target.text, ...(target.outputs !== undefined && { outputs: target.outputs }) }];
}

/** What a command gets on its standard input, as far as the command itself contains it. */
interface Input {
  /** null: something else, or known only when it runs. */
  readonly text: string | null;
  /** What runs for it. */
  readonly runs: readonly BashNode[];
}

// They pass on what they get, or write it into a file whose content doesn't matter here.
const passers = new Set(['cat', 'tee']);

/** Reads here-documents and here-strings; in front of anything but cat and tee nothing in them may be expanded. */
export function readInput(raw: readonly RawRedirection[], name: string | undefined, scope: Scope): Input {
  const texts = raw.map((part) => readText(part, { name, scope }));
  const at = raw.findLastIndex((part) => part.type !== 'Redirect' || isStandardInput(part));
  const last = raw[at];
  const isInput = last !== undefined && last.type !== 'Redirect' && last.descriptor === undefined;
  return {
    text: isInput ? (texts[at]?.text ?? null) : null,
    runs: texts.flatMap((one) => one.runs),
  };
}

function readText(
  part: RawRedirection,
  { name, scope }: { readonly name: string | undefined; readonly scope: Scope },
): Input {
  if (part.type === 'HereString' && part.target !== undefined) {
    const word = readWord(part.target, scope);
    const isKnown = word.unknown === null && word.fed === undefined;
    if (!isKnown && !passers.has(name ?? ''))
      throw new Refusal('bash-dynamic', 'The output of a command may only be shown with echo or printf.');
    return { text: isKnown ? `${word.text}\n` : null, runs: ranIn(word) };
  }
  return part.type === 'HereDoc' ? readHereDoc(part, { name, scope }) : { text: null, runs: [] };
}

function readHereDoc(
  part: HereDoc,
  { name, scope }: { readonly name: string | undefined; readonly scope: Scope },
): Input {
  const mark = part.delimiter;
  const isPlain =
    mark !== undefined && part.closing !== undefined && /^(?:\w+|'[\w.-]+'|"[\w.-]+"|\\\w+)$/.test(mark.text);
  if (!isPlain)
    throw new Refusal('bash-syntax', "A here-document needs a plain, closed end mark like 'EOF'.");
  const body = part.operator === '<<-' ? part.body.text.replace(/^\t+/gm, '') : part.body.text;
  const expands =
    !mark.quoted && (/[$`\\]/.test(body) || part.body.parts?.some((one) => one.type !== 'Literal') === true);
  if (!expands) return { text: body, runs: [] };
  if (!passers.has(name ?? '') || part.operator === '<<-') {
    throw new Refusal(
      'bash-dynamic',
      `Quote the end mark of the here-document (<<'${mark.value}'), so that its text is not expanded.`,
    );
  }
  const pieces = (part.body.parts ?? []).map((one) => readQuoted(one, scope));
  if (part.body.parts === undefined && /(?<!\\)(?:\\\\)*[$`]/.test(body))
    throw new Refusal('bash-dynamic', 'What is expanded in the here-document could not be read.');
  return { text: null, runs: pieces.flatMap(ranIn) };
}

function isStandardInput(part: Redirect): boolean {
  if (part.descriptor === undefined) return part.operator.startsWith('<');
  return part.descriptor.type === 'FileDescriptor' && part.descriptor.value === 0;
}
