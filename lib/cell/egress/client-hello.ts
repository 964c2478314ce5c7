/** The host that a ClientHello asks for. */
export interface AskedHost {
  /** null: none. */
  readonly name: string | null;
  /**
   * It may ask for another one that can't be seen (RFC 9849): a ClientHello that holds an encrypted one looks the same
   * as one that only pretends to.
   */
  readonly isVeiled: boolean;
}

const handshake = 22;
const clientHello = 1;
const serverName = 0;
const encryptedHello = 0xfe0d;

/**
 * Reads the host that the first bytes of a TLS connection ask for (RFC 8446 §4.1.2, RFC 6066 §3), which may come in
 * several records: 'more' are needed, or they are no TLS (null).
 */
export function readHello(bytes: Buffer): AskedHost | 'more' | null {
  const message = joinRecords(bytes);
  if (message === null) return null;
  if (message.length < 4) return 'more';
  if (message[0] !== clientHello) return null;
  const end = 4 + message.readUIntBE(1, 3);
  if (message.length < end) return 'more';
  try {
    return findHost(message.subarray(4, end));
  } catch {
    return null;
  }
}

/** The handshake's bytes out of as many records as are there; null where they are of another kind. */
function joinRecords(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== handshake || (at + 1 < bytes.length && bytes[at + 1] !== 3))
      return at === 0 ? null : Buffer.concat(parts);
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return Buffer.concat(parts);
}

/** Reads past what it isn't about; a length beyond the end throws. */
function findHost(hello: Buffer): AskedHost {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return { name: null, isVeiled: false };
  const end = at + 2 + hello.readUInt16BE(at);
  let [name, isVeiled]: [string | null, boolean] = [null, false];
  for (at += 2; at < end; ) {
    const kind = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    if (kind === serverName && name !== null) throw new Error('It asks for two hosts.');
    if (kind === serverName) name = nameIn(hello.subarray(at + 4, at + 4 + length));
    if (kind === encryptedHello) isVeiled = true;
    at += 4 + length;
  }
  return { name, isVeiled };
}

/** Of a list that holds one name, as it must. */
function nameIn(list: Buffer): string | null {
  if (list.length < 5 || list[2] !== 0 || list.readUInt16BE(3) !== list.length - 5) return null;
  return list.subarray(5).toString('latin1').toLowerCase();
}
