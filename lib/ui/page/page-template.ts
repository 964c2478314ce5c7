import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ejs from 'ejs';
import { packageRoot } from '../../util/user-folders.ts';
import { escapeHtml } from './escape-html.ts';

const compiled = new Map<string, ejs.TemplateFunction>();

/** Fills in a template of ours; what `<%= %>` shows is escaped, and what would act or hide is visible. */
export function fillTemplate(name: string, values: Readonly<Record<string, unknown>>): string {
  let template = compiled.get(name);
  if (template === undefined) {
    template = ejs.compile(readTemplate(`${name}.ejs`), { escape: escapeHtml, rmWhitespace: true });
    compiled.set(name, template);
  }
  return template(values);
}

export function readTemplate(file: string): string {
  return readFileSync(join(packageRoot(), 'templates', file), 'utf8');
}

/** The script of a page, as the build makes it. */
export function readPageScript(page: 'board' | 'review' | 'stats'): string {
  return readFileSync(join(packageRoot(), 'dist', `${page}-page.js`), 'utf8');
}

/** JSON that is safe inside a page: nothing in it ends a script. */
export function renderInlineJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
