import type { SessionId } from '../domain/ids.ts';
import { type Recorder, record, viewSession } from './record.ts';
import type { Workshop } from './workshop.ts';

/** Shows what changed in the configuration since the session last looked, before the new rules apply. */
export async function noticeConfig(
  workshop: Recorder & Pick<Workshop, 'configChanges' | 'configDigest'>,
  id: SessionId,
): Promise<void> {
  const { session } = await viewSession(workshop, id);
  const { configDigest: digest } = workshop;
  if (session.config_digest === digest) return;
  const details = await workshop.configChanges(session.config_digest);
  const message = 'The configuration has changed; from here on the new values hold.';
  workshop.events.emit({ event: 'notice', level: 'warning', message, details });
  await record(workshop, id, ({ session: now }) => ({
    session: { next: { ...now, config_digest: digest }, subject: `session: configuration ${digest}` },
    body: details.join('\n'),
  }));
}
