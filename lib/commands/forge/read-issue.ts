import * as z from 'zod';
import { boundText, oneLine } from '../../core/task/one-line.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { readGhValue } from './read-gh-json.ts';
import { type AskGh, parseAddress } from './read-news.ts';

/** An issue as a task would have it; every text is its author's. */
export interface IssueText {
  readonly title: string;
  readonly description: string;
  /** Its address. */
  readonly source: string;
}

/** What names an issue for gh: `gh:123`, `gh:OWNER/NAME#123` or an address; null: it names a file. */
export function issueWords(from: string): readonly string[] | null {
  const short = /^gh:(?:([\w.-]+\/[\w.-]+)#)?(\d{1,12})$/.exec(from);
  if (short !== null) {
    const [, repository, number = ''] = short;
    return [number, ...(repository === undefined ? [] : ['--repo', repository])];
  }
  return parseAddress(from, 'issues') === null ? null : [from];
}

/** Reads an open issue. Throws the FlameErrors of runGh, `gh-unreadable` and `issue-closed`. */
export async function readIssue(words: readonly string[], ask: AskGh): Promise<IssueText> {
  const fields = 'number,title,body,labels,author,state,url';
  const { title, body, labels, author, state, url } = readGhValue(
    issueSchema,
    await ask(['issue', 'view', ...words, '--json', fields]),
  );
  if (state !== 'OPEN') throw isClosed(url);
  const names = labels.map(({ name }) => oneLine(name, 60)).join(', ');
  const description = [
    `From ${url}, by ${oneLine(author.login, 60)}${names === '' ? '' : `, labelled ${names}`}.`,
    boundText(body ?? '', 40_000),
  ];
  return {
    title: oneLine(title, 200),
    description: description.filter((text) => text !== '').join('\n\n'),
    source: url,
  };
}

const issueSchema = z.object({
  number: z.int(),
  title: z.string().min(1),
  body: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).default([]),
  author: z.object({ login: z.string() }).default({ login: 'somebody' }),
  state: z.string(),
  url: z.string().refine((url) => parseAddress(url, 'issues') !== null, 'is no address of an issue'),
});

function isClosed(url: string): FlameError {
  return new FlameError({
    kind: 'refused',
    code: 'issue-closed',
    message: `${url} is closed, so no task was made of it.`,
    hints: [`gh issue reopen ${url}`, 'git flame task add TITLE --locks PATH'],
  });
}
