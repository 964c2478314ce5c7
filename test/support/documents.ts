import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, forEachChild, parse, type SyntaxNode } from 'unbash';

/** A fenced block: its indentation, its fence and its language. */
export const fences = /^( *)(`{3,})([^\n]*)\n([\s\S]*?)^\1\2 *$/gm;

/** The documents of this project, by their paths. */
export function listDocuments(): readonly string[] {
  return [...listIn('.', false), ...listIn('docs', true)];
}

function listIn(folder: string, isDeep: boolean): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return isDeep ? listIn(path, true) : [];
    return entry.name.endsWith('.md') ? [path] : [];
  });
}

/** The arguments of each `git flame` in the blocks of a document that show a shell. */
export function commandsInBlocks(text: string): readonly (readonly string[])[] {
  return [...text.matchAll(fences)].flatMap(([, , , kind, body = '']) => {
    // A prompt may name the machine: `laptop$ git flame work`.
    if (kind === 'console')
      return body
        .split('\n')
        .flatMap((line) => /^\w*\$ (.*)$/.exec(line)?.[1] ?? [])
        .flatMap(flameCalls);
    return kind === 'sh' ? flameCalls(body) : [];
  });
}

/** The same of its sentences, where `a|b` stands for either. */
export function commandsInSentences(text: string): readonly (readonly string[])[] {
  return [...text.replace(fences, '').matchAll(/`([^`\n]*\bgit flame\b[^`\n]*)`/g)].flatMap(([, code = '']) =>
    eitherOf(code.replaceAll('\\|', '|').replace(/ \[.*\]/, '')).flatMap(flameCalls),
  );
}

function eitherOf(code: string): readonly string[] {
  const choice = /\S+(?:\|\S+)+/.exec(code)?.[0];
  return choice === undefined ? [code] : choice.split('|').flatMap((one) => eitherOf(code.replace(choice, one)));
}

function flameCalls(script: string): readonly (readonly string[])[] {
  const calls: string[][] = [];
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Command' && isFlame(node)) calls.push(wordsOf(node).slice(1));
    forEachChild(node, visit);
  };
  visit(parse(script));
  return calls;
}

function isFlame(command: Command): boolean {
  return command.name?.value === 'git' && wordsOf(command)[0] === 'flame';
}

function wordsOf({ suffix }: Command): string[] {
  return suffix.flatMap((part) => (part.type === 'Word' ? part.value : []));
}
