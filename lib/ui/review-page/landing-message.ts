import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { notFound, problem, sayIssue } from '../page/page-answers.ts';
import type { PageAnswer } from '../page/page-server.ts';
import { messageSchema } from './page-request.ts';

type Asked = Pick<ChangesetQuestion, 'messageOf' | 'checkMessage'> | undefined;

/** What a changeset lands with, `{message}`; null where the commits of its tasks land, or nothing is decided now. */
export async function showMessage(asked: Asked, id: string): Promise<PageAnswer> {
  const message = (await asked?.messageOf?.(id)) ?? null;
  return message === null ? notFound : { kind: 'json', value: { message } };
}

/** Whether a changeset can land with a message: asked before it is decided. */
export async function checkMessage(asked: Asked, body: unknown): Promise<PageAnswer> {
  const parsed = messageSchema.safeParse(body);
  if (!parsed.success) return problem(400, sayIssue(parsed.error));
  const { changeset, message } = parsed.data;
  const wrong = await messageProblem(asked, changeset, message);
  return wrong === null ? { kind: 'json', value: {} } : problem(422, wrong);
}

/** Why not, a sentence; null: it can. */
export async function messageProblem(
  asked: Asked,
  id: string,
  message: string | undefined,
): Promise<string | null> {
  return message === undefined ? null : ((await asked?.checkMessage?.(id, message)) ?? null);
}
