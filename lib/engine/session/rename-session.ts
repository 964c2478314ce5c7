import type { SessionId } from '../../domain/ids.ts';
import { type Recorder, record } from '../record.ts';

/** Gives a session another title; its objective stays. */
export async function renameSession(workshop: Recorder, id: SessionId, title: string): Promise<void> {
  await record(workshop, id, ({ session }) =>
    session.title === title
      ? null
      : { session: { next: { ...session, title }, subject: `session: called ${title}` } },
  );
}
