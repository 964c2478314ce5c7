import type { Changeset } from '../../domain/state/changeset.ts';
import type { Patch, PatchView } from '../../domain/state/patch.ts';
import type { PagePreferences } from './page-facts.ts';
import { renderDiffPart } from './render-diff-part.ts';
import { type HunkPiece, splitParts } from './split-parts.ts';

export interface FilePart extends PatchView {
  readonly file: number;
  readonly part: number;
  readonly layout: PagePreferences['layout'];
}

/** Patches and their parts; those just looked at are kept. */
export class FileParts {
  readonly #read: (changeset: Changeset, view: PatchView) => Promise<Patch>;
  readonly #patches = new Map<string, Promise<Patch>>();
  readonly #split = new Map<string, readonly (readonly HunkPiece[])[]>();

  constructor(read: (changeset: Changeset, view: PatchView) => Promise<Patch>) {
    this.#read = read;
  }

  /** Throws what reading it throws, each time. */
  patch(changeset: Changeset, view: PatchView): Promise<Patch> {
    return keep(this.#patches, keyOf(changeset, view), 20, () => this.#read(changeset, view));
  }

  /** A part of a file as HTML; null where there is none. */
  async render(changeset: Changeset, { file, part, layout, ignoresSpace }: FilePart): Promise<string | null> {
    const found = (await this.patch(changeset, { ignoresSpace })).files[file];
    if (found === undefined) return null;
    const key = `${keyOf(changeset, { ignoresSpace })} ${file}`;
    const pieces = keep(this.#split, key, 8, () => splitParts(found.hunks()))[part];
    return pieces === undefined ? null : renderDiffPart(pieces, layout);
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
