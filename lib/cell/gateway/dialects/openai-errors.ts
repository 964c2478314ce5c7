import type { JsonRecord } from '../../../util/json-record.ts';

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  413: 'invalid_request_error',
  415: 'invalid_request_error',
};

/** The body of an error as OpenAI's APIs, and those that speak like them, send it. */
export function refuseLikeOpenai(status: number, message: string): JsonRecord {
  return { error: { message, type: types[status] ?? 'server_error', param: null, code: null } };
}
