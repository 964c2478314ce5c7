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
