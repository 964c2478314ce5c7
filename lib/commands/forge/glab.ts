import * as z from 'zod';
import { shellQuote } from '../../util/shell-quote.ts';
import { type Address, isRequestAddress } from './address.ts';
import { fitBody } from './fit-body.ts';
import type { Forge, RequestText } from './forge.ts';
import { readGlabNews, readGlabStanding } from './glab-news.ts';
import { foundAddress, requireAddress } from './printed-address.ts';
import { readForgeValue } from './read-forge-json.ts';
import { type IssueName, type IssueText, openIssue } from './read-issue.ts';
import { type AskForge, isForgeError } from './run-forge.ts';

/** What GitLab takes is 1,048,576. */
const longestBody = 1_000_000;
/** glab takes a new one's as one argument, of which Linux allows 128 KiB. */
const longestNew = 30_000;
const host = 'GitLab';

/** GitLab, as its program `glab` speaks with it. */
export function openGlab(ask: AskForge): Forge {
  return {
    name: 'glab',
    noun: 'merge request',
    ...{ host, longestBody, longestNew },
    createLine: (request) => {
      const read = request.body.length > longestNew ? `head -c ${longestNew}` : 'cat';
      const words = ['glab', ...createWords(request)].map(shellQuote).join(' ');
      return `${words} --description "$(${read} ${shellQuote(request.bodyFile)})"`;
    },
    reopenLine: (url) =>
      `glab mr reopen ${namedRequest(requireAddress(url, 'glab')).map(shellQuote).join(' ')}`,
    find: (branch) => find(branch, ask),
    standing: async (url) => readGlabStanding(requireAddress(url, 'glab'), ask),
    create: async (request) => {
      const words = [
        ...createWords(request),
        '--description',
        fitBody(request.body, { longest: longestNew, host }),
      ];
      return foundAddress('glab', await ask(words), `glab mr view ${shellQuote(request.branch)}`);
    },
    update: async (url, request) => {
      const address = requireAddress(url, 'glab');
      const isLong = request.body.length > longestNew;
      if (isLong) await ask(describeByFile(address, request));
      const into = request.newBase === undefined ? [] : ['--target-branch', request.newBase];
      const text = ['--title', request.title, ...(isLong ? [] : ['--description', request.body]), ...into];
      await ask(['mr', 'update', ...namedRequest(address), ...text, '--yes']);
    },
    news: async (wish) => readGlabNews(requireAddress(wish.url, 'glab'), wish, ask),
    issue: (name) => readIssue(name, ask),
  };
}

function createWords({ base, branch, title }: RequestText): readonly string[] {
  return ['mr', 'create', '--target-branch', base, '--source-branch', branch, '--title', title, '--yes'];
}

/** Older versions of glab read a text from a file only here. */
function describeByFile(
  { host: name, project, number }: Address,
  { bodyFile }: RequestText,
): readonly string[] {
  const path = `projects/${encodeURIComponent(project)}/merge_requests/${number}`;
  return ['api', '--hostname', name, '--method', 'PUT', path, '--field', `description=@${bodyFile}`];
}

function namedRequest({ host, project, number }: Address): readonly string[] {
  return [number, '--repo', `https://${host}/${project}`];
}

async function find(branch: string, ask: AskForge): Promise<string | null> {
  try {
    const found = await ask(['mr', 'view', branch, '--output', 'json']);
    const { web_url: url, state } = readForgeValue('glab', foundSchema, found);
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
  } = readForgeValue('glab', issueSchema, await ask(['issue', 'view', number, ...where, '--output', 'json']));
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
