import { createHash, createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { hostname } from 'node:os';

/** A new key to sign with (ed25519), as PKCS #8 in PEM. */
export function makePrivateKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The public half of a private key, as base64url of its 32 bytes. Throws where it is no such key. */
export function publicKeyOf(privateKey: string): string {
  const { x } = createPublicKey(createPrivateKey(privateKey)).export({ format: 'jwk' });
  if (typeof x !== 'string') throw new Error('no ed25519 key');
  return x;
}

/** A signature over a text, in base64url. */
export function signTextWithKey(privateKey: string, text: string): string {
  return sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url');
}

/** Whether the holder of a public key signed exactly this text; never throws, also on malformed input. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

// As many digits as make it infeasible to find another key with the same ones.
const digits = 20;
const bound = new RegExp(`^(?:.*[/-][0-9a-f]{8})-([0-9a-f]{${digits}})$`);

/** Appends the key's fingerprint to a clone's name, so that no other clone can sign in that name. */
export function appendKeyFingerprint(clone: string, key: string): string {
  return `${clone}-${printOf(key)}`;
}

/** Whether a key (null: none) may sign as this name; true of names without a fingerprint. */
export function maySignAs(name: string, key: string | null): boolean {
  const [, print] = name.match(bound) ?? [];
  return print === undefined || (key !== null && printOf(key) === print);
}

function printOf(key: string): string {
  return createHash('sha256').update(Buffer.from(key, 'base64url')).digest('hex').slice(0, digits);
}

/**
 * The name of one clone on one machine, `laptop/3f9a1c2b`: the host, and what distinguishes its clones
 * without revealing where they are. Another one after the clone was moved. `host`: what the machine is called instead.
 */
export function cloneName(commonDir: string, host: string = hostname()): string {
  const place = createHash('sha256').update(realpathSync(commonDir)).digest('hex').slice(0, 8);
  return `${host.replace(/[^\w.-]+/g, '-') || hostname()}/${place}`;
}

// The form `git commit -S` writes with `gpg.format ssh`, see PROTOCOL.sshsig of OpenSSH: stock git verifies it too.
const magic = Buffer.from('SSHSIG');
const namespace = 'git';
const algorithm = 'ssh-ed25519';
const hashName = 'sha512';
const [begin, end] = ['-----BEGIN SSH SIGNATURE-----', '-----END SSH SIGNATURE-----'];
const keyBytes = 32;
const lineLength = 70;

type Format = 'sha1' | 'sha256';

/** A commit's text with a clone's signature over it. */
export type CommitSigner = (text: string) => string;

/** A commit's text with a signature over it, by a private key (ed25519, PEM). */
export function signCommitText(text: string, privateKey: string, format: Format): string {
  const key = createPrivateKey(privateKey);
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const publicKey = packed(algorithm, Buffer.from(x, 'base64url'));
  const signature = sign(null, signedBytes(text), key);
  const blob = Buffer.concat([
    magic,
    Buffer.from([0, 0, 0, 1]),
    packed(publicKey, namespace, '', hashName),
    packed(packed(algorithm, signature)),
  ]);
  const lines = blob.toString('base64').match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  const at = text.indexOf('\n\n');
  const header = `${headerOf(format)} ${[begin, ...lines, end].join('\n ')}`;
  return `${text.slice(0, at)}\n${header}${text.slice(at)}`;
}

/**
 * Returns the public key (ed25519, base64url) whose holder signed a commit, given its whole text; null: it is not
 * signed, signed over another text, or in another form. Never throws.
 */
export function readCommitSignerKey(text: string, format: Format): string | null {
  const [whole = '', armored = ''] =
    text.slice(0, text.indexOf('\n\n') + 1).match(new RegExp(`^${headerOf(format)} (.*\n(?: .*\n)*)`, 'm')) ?? [];
  if (whole === '') return null;
  const lines = armored.split('\n').map((line) => line.trim());
  if (lines[0] !== begin || !lines.includes(end)) return null;
  const found = unpackSignature(Buffer.from(lines.slice(1, lines.indexOf(end)).join(''), 'base64'));
  return found !== null && isSigned(text.replace(whole, ''), found) ? found.key.toString('base64url') : null;
}

interface Found {
  readonly key: Buffer;
  readonly signature: Buffer;
}

function isSigned(text: string, { key, signature }: Found): boolean {
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') };
    return verify(null, signedBytes(text), createPublicKey({ key: jwk, format: 'jwk' }), signature);
  } catch {
    return false;
  }
}

function unpackSignature(blob: Buffer): Found | null {
  const [publicKey, space, , hash, signature, ...rest] = unpacked(blob.subarray(magic.length + 4)) ?? [];
  if (publicKey === undefined || signature === undefined || rest.length > 0) return null;
  if (!blob.subarray(0, magic.length).equals(magic) || space?.toString() !== namespace) return null;
  if (hash?.toString() !== hashName) return null;
  const [kind, key] = unpacked(publicKey) ?? [];
  const [how, bytes] = unpacked(signature) ?? [];
  const isOurs = kind?.toString() === algorithm && how?.toString() === algorithm;
  return isOurs && key?.length === keyBytes && bytes !== undefined ? { key, signature: bytes } : null;
}

/** Builds the bytes that a signature covers: they hold the hash of the text, never the text itself. */
function signedBytes(text: string): Buffer {
  const hash = createHash(hashName).update(text).digest();
  return Buffer.concat([magic, packed(namespace, '', hashName, hash)]);
}

/** Each with its length before it, as SSH writes texts. */
function packed(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** null: it is not made of such parts. */
function unpacked(bytes: Buffer): readonly Buffer[] | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (at + 4 > bytes.length) return null;
    const length = bytes.readUInt32BE(at);
    if (at + 4 + length > bytes.length) return null;
    parts.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return parts;
}

function headerOf(format: Format): string {
  return format === 'sha256' ? 'gpgsig-sha256' : 'gpgsig';
}
