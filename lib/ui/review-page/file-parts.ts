import type { Changeset } from '../../domain/state/changeset.ts';
import type { Patch, PatchView } from '../../domain/state/patch.ts';
import type { PagePreferences, PageSource } from './page-facts.ts';
import { renderDiffPart } from './render-diff-part.ts';
import { type HunkPiece, splitParts } from './split-parts.ts';

interface InFile extends PatchView {
  readonly file: number;
  readonly layout: PagePreferences['layout'];
}

export interface FilePart extends InFile {
  readonly part: number;
}

/** Lines between changes, by their numbers on the new side. */
export interface Between extends InFile {
  readonly from: number;
  readonly to: number;
  /** The difference to their numbers on the old side. */
  readonly shift: number;
}

/** The most lines of one answer; the page asks again for more. */
const mostBetween = 5_000;

/** Patches and their parts; those just looked at are kept. */
export class FileParts {
  readonly #source: Pick<PageSource, 'patch' | 'text'>;
  readonly #patches = new Map<string, Promise<Patch>>();
  readonly #split = new Map<string, readonly (readonly HunkPiece[])[]>();

  constructor(source: Pick<PageSource, 'patch' | 'text'>) {
    this.#source = source;
  }

  /** Throws what reading it throws, each time. */
  patch(changeset: Changeset, view: PatchView): Promise<Patch> {
    return keep(this.#patches, keyOf(changeset, view), 20, () => this.#source.patch(changeset, view));
  }

  /** A part of a file as HTML; null where there is none. */
  async render(changeset: Changeset, { file, part, layout, ignoresSpace }: FilePart): Promise<string | null> {
    const found = (await this.patch(changeset, { ignoresSpace })).files[file];
    if (found === undefined) return null;
    const key = `${keyOf(changeset, { ignoresSpace })} ${file}`;
    const parts = keep(this.#split, key, 8, () => splitParts(found.hunks()));
    const pieces = parts[part];
    if (pieces === undefined) return null;
    const hasMore = found.status === 'modified' && !found.hasNul;
    const gaps = !hasMore ? 'none' : part === parts.length - 1 ? 'all' : 'between';
    return renderDiffPart(pieces, layout, gaps);
  }

  /** Lines that the diff leaves out, as HTML of a part; null where there are none. */
  async between(changeset: Changeset, asked: Between): Promise<string | null> {
    const { file, layout, ignoresSpace, from, to, shift } = asked;
    const found = (await this.patch(changeset, { ignoresSpace })).files[file];
    const areNumbers = [from, to, shift].every(Number.isSafeInteger) && from >= 1 && from + shift >= 1;
    if (found === undefined || !areNumbers) return null;
    const text = await this.#source.text(changeset, found.path);
    if (text === null) return null;
    const all = text.split('\n');
    if (all.at(-1) === '') all.pop();
    const lines = all
      .slice(from - 1, Math.min(to, from + mostBetween - 1))
      .map((line) => ({ kind: 'context', text: line, isUnended: false }) as const);
    const hunk = {
      heading: '',
      oldStart: from + shift,
      newStart: from,
      lines,
      oldCount: lines.length,
      newCount: lines.length,
      isContinued: true,
      gapFrom: from,
    };
    return lines.length === 0 ? null : renderDiffPart([hunk], layout);
  }
}

function keyOf({ parent, commit }: Changeset, { ignoresSpace }: PatchView): string {
  return `${parent} ${commit} ${ignoresSpace}`;
}

/** The kept value, or a new one in place of the oldest. */
function keep<Value>(kept: Map<string, Value>, key: string, most: number, make: () => Value): Value {
  const known = kept.get(key);
  if (known !== undefined) return known;
  const value = make();
  kept.set(key, value);
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
  return value;
}
