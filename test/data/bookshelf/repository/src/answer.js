import { findLoan, listLoans } from './loans.js';

/** Answers a request of the public API. */
export function answer({ method, path }) {
  if (method !== 'GET') return { status: 405 };
  if (path === '/loans') return found(listLoans());
  const loan = findLoan(path.replace('/loans/', ''));
  return loan ? found(loan) : { status: 404 };
}

const found = (body) => ({ status: 200, body });
