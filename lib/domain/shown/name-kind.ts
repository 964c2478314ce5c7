/** Kinds of names that a person types: completion offers them. */
export const nameKinds = [
  'session',
  'task',
  'agent',
  'changeset',
  'rescue',
  'remote',
  'branch',
  'gate',
] as const;
export type NameKind = (typeof nameKinds)[number];

/** One thing to type, and what it is. */
export interface Candidate {
  readonly word: string;
  /** One line; '' where there is nothing to say. */
  readonly about: string;
}
