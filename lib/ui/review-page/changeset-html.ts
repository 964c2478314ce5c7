import { setTimeout as wait } from 'node:timers/promises';
import { FlameError } from '../../domain/flame-error.ts';
import type { ChangesetQuestion } from '../../domain/ports/changeset-question.ts';
import type { Changeset, ChangesSinceSeen } from '../../domain/state/changeset.ts';
import type { Patch, PatchView } from '../../domain/state/patch.ts';
import type { ReadingGuide } from '../../domain/state/reading-guide.ts';
import { notFoundRefusal } from '../page/page-refusals.ts';
import type { PageResponse } from '../page/page-server.ts';
import { listChangedFileViews } from './changed-file-views.ts';
import { type ChapterView, listChapterViews } from './chapter-views.ts';
import type { PageSource, ReviewedChangeset, ReviewPagePreferences } from './page-facts.ts';
import { type ChangesetLook, renderChangesetPage } from './render-changeset-page.ts';
import {
  keepRecent,
  PatchPartCache,
  type RequestedFilePart,
  type RequestedUnchangedLines,
} from './render-diff-part.ts';
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

type AskedEffects = Pick<ChangesetQuestion, 'onTop' | 'excluding'>;

interface FirstLook extends Pick<ReviewPagePreferences, 'layout'> {
  readonly asked: AskedEffects | undefined;
}

type ChangesetSource = Pick<PageSource, 'patch' | 'since' | 'text' | 'guide'>;

/** What a decision would do to others. */
type DecisionEffects = Required<Pick<ChangesetLook, 'onTop' | 'excluding'>>;

/** Of changesets, the newest ones. */
const mostKept = 20;

/** Changesets as HTML. What takes git a while is asked once for each version of one, known by its commit. */
export class ChangesetHtml {
  readonly #source: ChangesetSource;
  readonly #parts: PatchPartCache;
  readonly #effects = new Map<string, Promise<DecisionEffects>>();
  readonly #since = new Map<string, Promise<ChangesSinceSeen | null>>();
  readonly #guides = new Map<string, Promise<ReadingGuide | null>>();

  constructor(source: ChangesetSource) {
    this.#source = source;
    this.#parts = new PatchPartCache(source);
  }

  /** Something was decided: what stands on what may be otherwise now. */
  forgetEffects(): void {
    this.#effects.clear();
  }

  /** Reads what will be asked for next, so that it is there by then. */
  prepare(changeset: Changeset): void {
    void this.#guide(changeset);
    void this.#parts
      .patch(changeset, { ignoresSpace: false })
      .then(listChangedFileViews)
      .catch(() => undefined);
  }

  /** A changeset without the lines of its files but those that are seen first; `asked`: while decisions are taken. */
  async article(
    facts: ReviewedChangeset,
    look: Look & Pick<ReviewPagePreferences, 'layout'>,
    asked?: AskedEffects,
  ): Promise<string> {
    const { changeset } = facts;
    const since = await this.#compared(changeset);
    const isSince = look.isSince && since !== null;
    const shown = await this.#lookedAt(changeset, look);
    const effects = await this.#effectsOf(changeset, asked);
    const [patch, guide] = await Promise.all([this.#patch(shown, look), this.#guide(changeset)]);
    const chapters = listChapterViews(patch, guide);
    const lines = await this.#beginning(shown, chapters, look);
    return renderChangesetPage(facts, patch, { ...effects, since, isSince, lines, chapters });
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
    chapters: readonly ChapterView[],
    look: Look & Pick<ReviewPagePreferences, 'layout'>,
  ): Promise<ReadonlyMap<number, string>> {
    const lines = new Map<number, string>();
    let room = firstLines;
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
    return keepRecent(this.#since, changeset.commit, mostKept, () => this.#source.since(changeset));
  }

  #guide(changeset: Changeset): Promise<ReadingGuide | null> {
    const read = async (): Promise<ReadingGuide> =>
      this.#source.guide(changeset, await this.#parts.patch(changeset, { ignoresSpace: false }));
    // In another order it can be read, too.
    return keepRecent(this.#guides, changeset.commit, mostKept, () => read().catch(() => null));
  }

  /** Of no use once it is decided; a page without it is better than none. */
  async #effectsOf({ id, commit, state }: Changeset, asked: AskedEffects | undefined): Promise<DecisionEffects> {
    if (state !== 'waiting' || asked === undefined) return { onTop: [], excluding: [] };
    const ask = async (): Promise<DecisionEffects> => ({
      onTop: (await asked.onTop?.(id).catch(() => [])) ?? [],
      excluding: (await asked.excluding?.(id).catch(() => [])) ?? [],
    });
    return keepRecent(this.#effects, commit, mostKept, ask);
  }
}

interface Wanted {
  /** Its index, or `find` for where a text is; absent: the changeset. */
  readonly file: string | undefined;
  /** Its index, or `lines` for those between its changes. */
  readonly part: string | undefined;
  readonly query: URLSearchParams;
  readonly asked: AskedEffects | undefined;
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
