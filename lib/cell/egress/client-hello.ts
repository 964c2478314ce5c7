/** What the first bytes of a TLS connection say: 'more' is needed, they are no TLS (null), or the name they ask for. */
export type HelloName = { readonly name: string | null } | 'more' | null;

const handshake = 22;
const clientHello = 1;
const serverName = 0;

/** The server name of a ClientHello (RFC 8446 §4.1.2, RFC 6066 §3), which may come in several records. */
export function readHelloName(bytes: Buffer): HelloName {
  const message = joinRecords(bytes);
  if (message === null) return null;
  if (message.length < 4) return 'more';
  if (message[0] !== clientHello) return null;
  const end = 4 + message.readUIntBE(1, 3);
  if (message.length < end) return 'more';
  try {
    return { name: findName(message.subarray(4, end)) };
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
function findName(hello: Buffer): string | null {
  let at = 2 + 32;
  at += 1 + hello.readUInt8(at);
  at += 2 + hello.readUInt16BE(at);
  at += 1 + hello.readUInt8(at);
  if (at === hello.length) return null;
  const end = at + 2 + hello.readUInt16BE(at);
  for (at += 2; at < end; ) {
    const kind = hello.readUInt16BE(at);
    const length = hello.readUInt16BE(at + 2);
    if (kind === serverName) return nameIn(hello.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return null;
}

function nameIn(list: Buffer): string | null {
  if (list.length < 5 || list[2] !== 0) return null;
  return list
    .subarray(5, 5 + list.readUInt16BE(3))
    .toString('latin1')
    .toLowerCase();
}
