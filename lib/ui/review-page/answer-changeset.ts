import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import { notFound } from '../page/page-answers.ts';
import type { PageAnswer } from '../page/page-server.ts';
import type { ChangesetFacts } from './page-facts.ts';
import type { ShownChangesets } from './shown-changesets.ts';

interface Wanted {
  /** Its index, or `find` for where a text is; absent: the changeset. */
  readonly file: string | undefined;
  /** Its index, or `lines` for those between its changes. */
  readonly part: string | undefined;
  readonly query: URLSearchParams;
  readonly asked: Pick<ChangesetQuestion, 'onTop' | 'excluding'> | undefined;
}

/** A changeset, a part of one of its files, or lines that its diff leaves out, as HTML. */
export async function answerChangeset(
  shown: ShownChangesets,
  facts: ChangesetFacts,
  { file, part, query, asked }: Wanted,
): Promise<PageAnswer> {
  const look = { ignoresSpace: query.get('space') === 'ignored', isSince: query.get('show') === 'since' };
  const layout = query.get('layout') === 'side' ? 'side' : 'line';
  if (file === undefined)
    return { kind: 'html', html: await shown.article(facts, { ...look, layout }, asked) };
  if (file === 'find')
    return { kind: 'json', value: await shown.find(facts.changeset, look, query.get('text') ?? '') };
  const wanted = { file: Number(file), layout, ...look } as const;
  const [from, to, shift] = ['from', 'to', 'shift'].map((name) => Number(query.get(name)));
  const html =
    part === 'lines'
      ? await shown.between(facts.changeset, { ...wanted, from: from ?? 0, to: to ?? 0, shift: shift ?? 0 })
      : await shown.part(facts.changeset, { ...wanted, part: Number(part) });
  return html === null ? notFound : { kind: 'html', html };
}
