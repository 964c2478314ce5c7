import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ejs from 'ejs';
import type { Config } from '../domain/config.ts';
import { FlameError } from '../domain/flame-error.ts';
import type { ProjectFile, PromptData, PromptRenderer, Prompts } from '../domain/prompt-port.ts';
import { packageRoot } from '../util/package-root.ts';
import { type DataBlocks, dataBlocks } from './data-blocks.ts';
import { describeGuidance, type PromptFacts, promptFacts } from './prompt-facts.ts';
import { skillsFor } from './superpowers.ts';

export interface PromptOptions {
  readonly config: Config;
  /** A folder of the repository's own templates; those it holds replace ours. They run as code: the person's own. */
  readonly overrideDir?: string;
}

const separator = /^=== prompt ===\r?\n/m;

/** Prompts from the EJS templates, one per role: what stands before the separator is the system part. */
export function createPromptRenderer(options: PromptOptions): PromptRenderer {
  return { render: (data, projectFiles = []) => render(data, projectFiles, options) };
}

function render(
  data: PromptData,
  projectFiles: readonly ProjectFile[],
  { config, overrideDir }: PromptOptions,
): Prompts {
  const isInteractive = data.role === 'planner' && data.isInteractive;
  const name = isInteractive ? 'planner-interactive.ejs' : `${data.role}.ejs`;
  const file = templateFile(name, overrideDir);
  const facts = { ...promptFacts(data, config), guidance: describeGuidance(projectFiles, config) };
  const skills = skillsFor(config.superpowers, { role: data.role, isInteractive });
  const locals = { ...facts, skills, ...dataBlocks(facts) };
  const [system = '', prompt] = readTemplate(file).split(separator);
  if (prompt === undefined) throw badTemplate(file, 'it has no line `=== prompt ===`');
  return { system: renderPart(system, locals, file), prompt: renderPart(prompt, locals, file) };
}

function templateFile(name: string, overrideDir: string | undefined): string {
  const own = overrideDir === undefined ? null : join(overrideDir, name);
  return own !== null && existsSync(own) ? own : join(packageRoot(), 'templates', name);
}

function readTemplate(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw badTemplate(file, 'it can not be read', cause);
  }
}

function renderPart(template: string, locals: PromptFacts & DataBlocks, file: string): string {
  try {
    const text = ejs.render(template, locals, { filename: file, escape: oneLine });
    return locals.closeGaps(text).trim();
  } catch (cause) {
    throw badTemplate(file, cause instanceof Error ? (cause.message.split('\n').at(-1) ?? '') : '', cause);
  }
}

/** What `<%= %>` shows stands in the middle of our own words: one line, and nothing that looks like a mark. */
function oneLine(value: unknown): string {
  return `${value ?? ''}`.replace(/[\p{Cc}\s]+/gu, ' ').replace(/[<>]/g, '');
}

function badTemplate(file: string, reason: string, cause?: unknown): FlameError {
  return new FlameError({
    kind: 'environment',
    code: 'bad-template',
    message: `The prompt template ${file} can't be used: ${reason}.`,
    hints: ['Mend the template, or remove it to use the one that ships.'],
    ...(cause === undefined ? {} : { cause }),
  });
}
