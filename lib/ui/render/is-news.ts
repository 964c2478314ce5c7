import type { Event } from '../../domain/shown/event.ts';

/** Whether an event is shown even with --quiet: warnings, failures, and how the session ended. */
export function isNews(event: Event): boolean {
  switch (event.event) {
    case 'plan-invalid':
    case 'task-failed':
    case 'landing-refused':
    case 'manual-review':
    case 'evidence-verified':
    case 'board':
    case 'review-page':
    case 'session-ended':
    case 'paused':
    case 'agent-stalled':
    case 'conflicts-ahead':
      return true;
    case 'notice':
      return event.level === 'warning';
    case 'canary':
      return event.result === 'failed';
    case 'verdict':
      return event.status === 'fail';
    case 'changeset-built':
      return event.red;
    case 'script':
      return event.exit_code !== 0;
    default:
      return false;
  }
}
