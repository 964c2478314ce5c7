import { setTimeout as wait } from 'node:timers/promises';
import { FlameError } from '../../domain/flame-error.ts';
import type {
  ChangesetQuestion,
  ConflictingChangeset,
  StackedWorkOutcome,
} from '../../domain/ports/changeset-question.ts';
import type { Changeset, ChangesSinceSeen } from '../../domain/state/changeset.ts';
import type { Patch, PatchView } from '../../domain/state/patch.ts';
import type { ReadingGuide } from '../../domain/state/reading-guide.ts';
import { notFoundRefusal } from '../page/page-refusals.ts';
import type { PageResponse } from '../page/page-server.ts';
import { listChangedFileViews } from './changed-file-views.ts';
import { listChapterViews } from './chapter-views.ts';
import type { PageSource, ReviewedChangeset, ReviewPagePreferences } from './page-facts.ts';
import { renderChangesetPage } from './render-changeset-page.ts';
import { PatchPartCache, type RequestedFilePart, type RequestedUnchangedLines } from './render-diff-part.ts';
import { findLinesInPatch } from './split-hunks.ts';

/** As many lines as a window shows. */
const firstLines = 60;

/** The page waits no longer for what can come after it. */
const withPageMs = 100;

/** How a changeset is looked at. */
interface Look extends PatchView {
  /** Only what changed since the last round, where there was one. */
  readonly isSince: boolean;
}

interface FirstLook extends Pick<ReviewPagePreferences, 'layout'> {
  readonly asked: Pick<ChangesetQuestion, 'onTop' | 'excluding'> | undefined;
}

type ChangesetSource = Pick<PageSource, 'patch' | 'since' | 'text' | 'guide'>;

/** Changesets as HTML. What takes git a while is asked once for each version of one. */
export class ChangesetHtml {
  readonly #source: ChangesetSource;
  readonly #parts: PatchPartCache;
  /** Work stacked on each changeset, by its commit. */
  readonly #above = new Map<string, Promise<readonly StackedWorkOutcome[]>>();
  /** Changesets that can't land together with each, by its commit. */
  readonly #excluding = new Map<string, Promise<readonly ConflictingChangeset[]>>();
  /** Changes of each since the last round, by its commit. */
  readonly #since = new Map<string, Promise<ChangesSinceSeen | null>>();
  /** The order in which each is read, by its commit. */
  readonly #guides = new Map<string, Promise<ReadingGuide | null>>();

  constructor(source: ChangesetSource) {
    this.#source = source;
    this.#parts = new PatchPartCache(source);
  }

  /** Something was decided: what stands on what may be otherwise now. */
  forgetAbove(): void {
    this.#above.clear();
    this.#excluding.clear();
  }

  /** Reads what will be asked for next, so that it is there by then. */
  prepare(changeset: Changeset): void {
    void this.#guide(changeset);
    void this.#patch(changeset, { ignoresSpace: false })
      .then((patch) => 'files' in patch && listChangedFileViews(patch))
      .catch(() => undefined);
  }

  /** A changeset without the lines of its files but those that are seen first; `asked` says how others hang together with it while decisions are taken. */
  async article(
    facts: ReviewedChangeset,
    look: Look & Pick<ReviewPagePreferences, 'layout'>,
    asked: Pick<ChangesetQuestion, 'onTop' | 'excluding'> = {},
  ): Promise<string> {
    const since = await this.#compared(facts.changeset);
    const isSince = look.isSince && since !== null;
    const shown = await this.#lookedAt(facts.changeset, look);
    // What a decision would do to others is of no use once it is decided.
    const { onTop: ask, excluding: exclude } = facts.changeset.state === 'waiting' ? asked : {};
    const onTop = await this.#onTop(facts.changeset, ask);
    const excluding = await this.#excludes(facts.changeset, exclude);
    const [patch, guide] = await Promise.all([this.#patch(shown, look), this.#guide(facts.changeset)]);
    const lines = await this.#beginning(shown, { patch, guide }, look);
    return renderChangesetPage(facts, patch, { onTop, excluding, since, isSince, lines, guide });
  }

  /** Renders what an opened page shows; '' where reading it takes so long that the page asks for it itself. */
  async first(changesets: readonly ReviewedChangeset[], { layout, asked }: FirstLook): Promise<string> {
    const facts = changesets.find(({ changeset }) => changeset.state === 'waiting') ?? changesets[0];
    if (facts === undefined) return '';
    const waiting = new AbortController();
    const article = this.article(facts, { layout, ignoresSpace: false, isSince: false }, asked);
    const late = wait(withPageMs, '', { signal: waiting.signal });
    try {
      // An error comes up again where the page asks, and is reported there.
      return await Promise.race([article, late]).catch(() => '');
    } finally {
      waiting.abort();
      late.catch(() => undefined);
    }
  }

  /** Includes what is seen first: a request for it would take the page as long again. */
  async #beginning(
    shown: Changeset,
    { patch, guide }: { readonly patch: Patch | FlameError; readonly guide: ReadingGuide | null },
    look: Look & Pick<ReviewPagePreferences, 'layout'>,
  ): Promise<ReadonlyMap<number, string>> {
    const lines = new Map<number, string>();
    let room = firstLines;
    const chapters = 'files' in patch ? listChapterViews(listChangedFileViews(patch), guide) : [];
    for (const { index, parts, folded } of chapters.flatMap(({ isFolded, files }) => (isFolded ? [] : files))) {
      if (room <= 0) break;
      const count = Number.parseInt(parts, 10);
      if (folded !== null || !(count > 0)) continue;
      const html = await this.#parts.render(shown, { ...look, file: index, part: 0 });
      lines.set(index, `<div class="part" data-part="0" data-lines="${count}" data-came>${html ?? ''}</div>`);
      room -= count;
    }
    return lines;
  }

  /** A part of a file; null where there is none. */
  async part(changeset: Changeset, { isSince, ...asked }: RequestedFilePart & Look): Promise<string | null> {
    return this.#parts.render(await this.#lookedAt(changeset, { ...asked, isSince }), asked);
  }

  /** Where a text is in the lines of its diff, as JSON. */
  async find(changeset: Changeset, look: Look, text: string): Promise<unknown> {
    const patch = await this.#patch(await this.#lookedAt(changeset, look), look);
    return findLinesInPatch('files' in patch ? patch : { files: [] }, text);
  }

  /** Lines that the diff leaves out; null where there are none. */
  async between(changeset: Changeset, { isSince, ...asked }: RequestedUnchangedLines & Look): Promise<string | null> {
    return this.#parts.between(await this.#lookedAt(changeset, { ...asked, isSince }), asked);
  }

  /** Why a changeset can't be shown: then it can't be approved here. null: it can. */
  async refusal(changeset: Changeset): Promise<string | null> {
    const patch = await this.#patch(changeset, { ignoresSpace: false });
    return 'files' in patch ? null : patch.message;
  }

  async #patch(shown: Changeset, { ignoresSpace }: PatchView): Promise<Patch | FlameError> {
    try {
      return await this.#parts.patch(shown, { ignoresSpace });
    } catch (error) {
      if (error instanceof FlameError) return error;
      throw error;
    }
  }

  /** The changeset, or it compared with what was seen last. */
  async #lookedAt(changeset: Changeset, { isSince }: Look): Promise<Changeset> {
    const since = isSince ? await this.#compared(changeset) : null;
    return since === null ? changeset : { ...changeset, parent: since.from };
  }

  #compared(changeset: Changeset): Promise<ChangesSinceSeen | null> {
    const known = this.#since.get(changeset.commit) ?? this.#source.since(changeset);
    this.#since.set(changeset.commit, known);
    return known;
  }

  #guide(changeset: Changeset): Promise<ReadingGuide | null> {
    // In another order it can be read, too.
    const known = this.#guides.get(changeset.commit) ?? this.#source.guide(changeset).catch(() => null);
    this.#guides.set(changeset.commit, known);
    return known;
  }

  #onTop(
    { id, commit, state }: Changeset,
    ask: ChangesetQuestion['onTop'] | undefined,
  ): Promise<readonly StackedWorkOutcome[]> {
    // Only what waits can still be sent back.
    if (state !== 'waiting') return Promise.resolve([]);
    // A page without it is better than none.
    const known = this.#above.get(commit) ?? ask?.(id).catch(() => []);
    if (known === undefined) return Promise.resolve([]);
    this.#above.set(commit, known);
    return known;
  }

  #excludes(
    { id, commit }: Changeset,
    ask: ChangesetQuestion['excluding'] | undefined,
  ): Promise<readonly ConflictingChangeset[]> {
    const known = this.#excluding.get(commit) ?? ask?.(id).catch(() => []);
    if (known === undefined) return Promise.resolve([]);
    this.#excluding.set(commit, known);
    return known;
  }
}

interface Wanted {
  /** Its index, or `find` for where a text is; absent: the changeset. */
  readonly file: string | undefined;
  /** Its index, or `lines` for those between its changes. */
  readonly part: string | undefined;
  readonly query: URLSearchParams;
  readonly asked: Pick<ChangesetQuestion, 'onTop' | 'excluding'> | undefined;
}

/** A changeset, a part of one of its files, or lines that its diff leaves out, as HTML. */
export async function renderRequestedHtml(
  shown: ChangesetHtml,
  facts: ReviewedChangeset,
  { file, part, query, asked }: Wanted,
): Promise<PageResponse> {
  const look = { ignoresSpace: query.get('space') === 'ignored', isSince: query.get('show') === 'since' };
  const layout = query.get('layout') === 'side' ? 'side' : 'line';
  if (file === undefined) return { kind: 'html', html: await shown.article(facts, { ...look, layout }, asked) };
  if (file === 'find') return { kind: 'json', value: await shown.find(facts.changeset, look, query.get('text') ?? '') };
  const wanted = { file: Number(file), layout, ...look } as const;
  const [from, to, shift] = ['from', 'to', 'shift'].map((name) => Number(query.get(name)));
  const html =
    part === 'lines'
      ? await shown.between(facts.changeset, { ...wanted, from: from ?? 0, to: to ?? 0, shift: shift ?? 0 })
      : await shown.part(facts.changeset, { ...wanted, part: Number(part) });
  return html === null ? notFoundRefusal : { kind: 'html', html };
}
