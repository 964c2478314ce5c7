import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';

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
export function signText(privateKey: string, text: string): string {
  return sign(null, Buffer.from(text), createPrivateKey(privateKey)).toString('base64url');
}

/** Whether the holder of a public key signed exactly this text; never throws, whatever is given. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' });
    return verify(null, Buffer.from(text), key, Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}
