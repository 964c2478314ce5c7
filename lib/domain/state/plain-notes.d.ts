/** Made by the build out of the schemas of notes, see .ci/plain-notes.mjs. */
declare module 'flame:plain-notes' {
  type NoteName = 'blackboard' | 'memory' | 'reviews' | 'sessions' | 'signatures' | 'tasks' | 'validations';

  /** Whether a note's JSON surely matches its schema, and comes out of it as it is; no says nothing. */
  export const isPlain: Readonly<Record<NoteName, (json: unknown) => boolean>>;
}
