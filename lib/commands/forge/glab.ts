import * as z from 'zod';
import { boundText } from '../../core/task/one-line.ts';
import { shellQuote } from '../../util/shell-quote.ts';
import { type Address, isRequestAddress } from './address.ts';
import type { Forge, RequestText } from './forge.ts';
import { readGlabNews, readGlabStanding } from './glab-news.ts';
import { foundAddress, requireAddress } from './printed-address.ts';
import { readForgeValue } from './read-forge-json.ts';
import { type IssueName, type IssueText, openIssue } from './read-issue.ts';
import { type AskForge, isForgeError } from './run-forge.ts';

/** glab takes it as one argument, of which Linux allows 128 KiB. */
const longestBody = 30_000;

/** GitLab, as its program `glab` speaks with it. */
export function openGlab(ask: AskForge): Forge {
  return {
    name: 'glab',
    noun: 'merge request',
    createLine: (request) =>
      `${['glab', ...createWords(request)].map(shellQuote).join(' ')} --description "$(cat ${shellQuote(request.bodyFile)})"`,
    reopenLine: (url) =>
      `glab mr reopen ${namedRequest(requireAddress(url, 'glab')).map(shellQuote).join(' ')}`,
    find: (branch) => find(branch, ask),
    standing: async (url) => readGlabStanding(requireAddress(url, 'glab'), ask),
    create: async (request) => {
      const words = [...createWords(request), '--description', boundText(request.body, longestBody)];
      return foundAddress('glab', await ask(words), `glab mr view ${shellQuote(request.branch)}`);
    },
    update: async (url, { title, body, newBase }) => {
      const into = newBase === undefined ? [] : ['--target-branch', newBase];
      const text = ['--title', title, '--description', boundText(body, longestBody), ...into];
      await ask(['mr', 'update', ...namedRequest(requireAddress(url, 'glab')), ...text, '--yes']);
    },
    news: async (wish) => readGlabNews(requireAddress(wish.url, 'glab'), wish, ask),
    issue: (name) => readIssue(name, ask),
  };
}

function createWords({ base, branch, title }: RequestText): readonly string[] {
  return ['mr', 'create', '--target-branch', base, '--source-branch', branch, '--title', title, '--yes'];
}

function namedRequest({ host, project, number }: Address): readonly string[] {
  return [number, '--repo', `https://${host}/${project}`];
}

async function find(branch: string, ask: AskForge): Promise<string | null> {
  try {
    const found = await ask(['mr', 'view', branch, '--output', 'json']);
    const { web_url: url, state } = readForgeValue(foundSchema, found);
    return state === 'opened' ? url : null;
  } catch (error) {
    // That there is none is a failure to glab. Of any other failure, opening it tells: it never opens a second one.
    if (isForgeError(error) && error.code === 'forge-failed') return null;
    throw error;
  }
}

const foundSchema = z.object({
  web_url: z.string().refine((url) => isRequestAddress(url, 'glab'), 'is no address of a merge request'),
  state: z.string(),
});

async function readIssue({ number, project, host }: IssueName, ask: AskForge): Promise<IssueText> {
  const where = project === null ? [] : ['--repo', host === null ? project : `https://${host}/${project}`];
  const {
    title,
    description,
    labels,
    author,
    state,
    web_url: url,
  } = readForgeValue(issueSchema, await ask(['issue', 'view', number, ...where, '--output', 'json']));
  return openIssue({
    ...{ title, body: description, url, author: author.username, labels },
    ...{ isOpen: state === 'opened', reopen: `glab issue reopen ${number}`, forge: 'glab' },
  });
}

const issueSchema = z.object({
  title: z.string().min(1),
  description: z.string().nullish(),
  labels: z
    .array(z.string())
    .nullish()
    .transform((labels) => labels ?? []),
  author: z
    .object({ username: z.string() })
    .nullish()
    .transform((author) => author ?? { username: 'somebody' }),
  state: z.string(),
  web_url: z.string(),
});
