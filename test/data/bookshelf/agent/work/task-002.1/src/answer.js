import { findLoan, listLoans } from './loans.js';
import { RateLimit } from './rate-limit.js';

const perMinute = new RateLimit(60, 60);

/** Answers a request of the public API. */
export function answer({ method, path, client }) {
  const wait = perMinute.take(client);
  if (wait > 0) return tooMany(wait);
  if (method !== 'GET') return { status: 405 };
  if (path === '/loans') return found(listLoans());
  const loan = findLoan(path.replace('/loans/', ''));
  return loan ? found(loan) : { status: 404 };
}

const found = (body) => ({ status: 200, body });

/** Tells a client when to ask again. */
const tooMany = (wait) => ({
  status: 429,
  headers: { 'Retry-After': wait },
});
