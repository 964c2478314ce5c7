/** One thing that a repository's files make run or show, which the person must allow first. */
export interface TrustItem {
  readonly kind: 'command' | 'setting' | 'template' | 'file';
  /** A key of the configuration, or a file: relative to the top of the repository, absolute outside it. */
  readonly where: string;
  /** Where it is written (`.blueflame.yml:12`), or what names the file. */
  readonly source: string;
  /** The end of a sentence that begins with `where`: `runs as you, outside any cell`. */
  readonly effect: string;
  /** Exactly what it says; null where that is no text, or too long to be shown. */
  readonly words: string | null;
  /** Of its exact bytes, in hex. */
  readonly sha256: string;
  /** Where it really leads to, when that is elsewhere. */
  readonly realPath: string | null;
}

/** How an item stands to what was allowed before; `before` are its former words. */
export interface TrustChange {
  readonly item: TrustItem;
  readonly change: 'same' | 'new' | 'changed';
  readonly before: string | null;
}

/** A person's permission for one configuration of one clone. */
export interface Permission {
  /** The common git directory. */
  readonly repository: string;
  /** The work tree the configuration belongs to. */
  readonly root: string;
  /** The configuration's path; null: the repository had none. */
  readonly config: string | null;
  /** Of all items. */
  readonly digest: string;
  /** ISO, UTC. */
  readonly allowed_at: string;
  readonly items: readonly AllowedItem[];
}

type AllowedItem = Pick<TrustItem, 'kind' | 'where' | 'sha256' | 'words'>;
