import { oneLine } from '../../core/task/one-line.ts';
import type { ForgeName } from '../../domain/config/config-pull-requests.ts';
import { FlameError } from '../../domain/flame-error.ts';
import { type Address, isRequestAddress, parseAddress } from './address.ts';

/** The address that a program printed on a line of its own as it opened a request. Throws FlameError `forge-no-address`. */
export function foundAddress(forge: ForgeName, printed: string, look: string): string {
  const lines = printed.split('\n').map((line) => line.trim());
  const url = lines.findLast((line) => isRequestAddress(line, forge));
  if (url !== undefined) return url;
  throw new FlameError({
    kind: 'refused',
    code: 'forge-no-address',
    message: 'it printed no address of one.',
    details: lines.filter((line) => line !== '').slice(-5),
    hints: [look, 'git flame review --pr'],
  });
}

/** Throws FlameError `no-address` where it is none that this program knows. */
export function requireAddress(url: string, forge: ForgeName): Address {
  const address = parseAddress(url);
  if (address?.forge === forge && address.kind === 'request') return address;
  throw new FlameError({
    kind: 'refused',
    code: 'no-address',
    message: `${oneLine(url)} is not the address of a request that ${forge} knows.`,
    hints: ['git flame show'],
  });
}
