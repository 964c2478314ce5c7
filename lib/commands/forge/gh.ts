import * as z from 'zod';
import { shellQuote } from '../../util/shell-quote.ts';
import { isRequestAddress } from './address.ts';
import type { Forge, RequestText } from './forge.ts';
import { readGhNews, readGhStanding } from './gh-news.ts';
import { foundAddress, requireAddress } from './printed-address.ts';
import { readForgeValue } from './read-forge-json.ts';
import { type IssueName, type IssueText, openIssue } from './read-issue.ts';
import { type AskForge, isForgeError } from './run-forge.ts';

/** What GitHub takes is 65,536. */
const longestBody = 65_000;

/** GitHub, as its program `gh` speaks with it. */
export function openGh(ask: AskForge): Forge {
  return {
    name: 'gh',
    noun: 'pull request',
    host: 'GitHub',
    ...{ longestBody, longestNew: longestBody },
    createLine: (request) => ['gh', ...createWords(request)].map(shellQuote).join(' '),
    reopenLine: (url) => `gh pr reopen ${url}`,
    find: (branch) => find(branch, ask),
    standing: (url) => readGhStanding(url, ask),
    create: async (request) =>
      foundAddress('gh', await ask(createWords(request)), `gh pr view ${shellQuote(request.branch)}`),
    update: async (url, { title, bodyFile, newBase }) => {
      const into = newBase === undefined ? [] : ['--base', newBase];
      await ask(['pr', 'edit', url, '--title', title, '--body-file', bodyFile, ...into]);
    },
    news: async (wish) => readGhNews(requireAddress(wish.url, 'gh'), wish, ask),
    issue: (name) => readIssue(name, ask),
  };
}

function createWords({ base, branch, title, bodyFile }: RequestText): readonly string[] {
  return ['pr', 'create', '--base', base, '--head', branch, '--title', title, '--body-file', bodyFile];
}

async function find(branch: string, ask: AskForge): Promise<string | null> {
  try {
    const { url, state } = readForgeValue(
      'gh',
      foundSchema,
      await ask(['pr', 'view', branch, '--json', 'url,state']),
    );
    return state === 'OPEN' ? url : null;
  } catch (error) {
    // That there is none is a failure to gh. Of any other failure, opening it tells: it never opens a second one.
    if (isForgeError(error) && error.code === 'forge-failed') return null;
    throw error;
  }
}

const foundSchema = z.object({
  url: z.string().refine((url) => isRequestAddress(url, 'gh'), 'is no address of a pull request'),
  state: z.string(),
});

async function readIssue({ number, project, host }: IssueName, ask: AskForge): Promise<IssueText> {
  const fields = 'number,title,body,labels,author,state,url';
  const where = project === null ? [] : ['--repo', host === null ? project : `${host}/${project}`];
  const { title, body, labels, author, state, url } = readForgeValue(
    'gh',
    issueSchema,
    await ask(['issue', 'view', number, ...where, '--json', fields]),
  );
  return openIssue({
    ...{ title, body, url, author: author.login, labels: labels.map(({ name }) => name) },
    ...{ isOpen: state === 'OPEN', reopen: `gh issue reopen ${url}`, forge: 'gh' },
  });
}

const issueSchema = z.object({
  number: z.int(),
  title: z.string().min(1),
  body: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).default([]),
  author: z.object({ login: z.string() }).default({ login: 'somebody' }),
  state: z.string(),
  url: z.string(),
});
