import type { Dialect, Endpoint } from './dialect.ts';

/** One way to ask, and the list of models. Others cost as much, and their answers don't say so: batches run for a day. */
export function findOpenaiEndpoint(method: string, path: string, paid: string): Endpoint | null {
  const free = { isPaid: false, model: null, isStreamed: null };
  if (method === 'POST') return path === paid ? { ...free, isPaid: true } : null;
  return method === 'GET' && /^\/v1\/models(?:\/[\w.:@-]+)?$/.test(path) ? free : null;
}

/** Of lists. */
export const listParameters: Dialect['parameters'] = {
  limit: /^\d{1,4}$/,
  after: /^[\w.:@-]{1,100}$/,
};
