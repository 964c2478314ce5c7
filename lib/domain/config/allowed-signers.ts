import * as z from 'zod';

/** One who is named in the configuration: a line as in ssh's allowed_signers. */
export interface AllowedSigner {
  /** Emails, or patterns of them, with commas between. */
  readonly principals: string;
  /** Such as `valid-before="20271231Z"`; '' for none. */
  readonly options: string;
  /** Type and base64 of the public key. */
  readonly key: string;
}

const option = /(?:cert-authority|(?:namespaces|valid-after|valid-before)="[^"\s]*")/.source;
const line = new RegExp(
  `^(?<principals>[^\\s"#]+)[ \\t]+(?:(?<options>${option}(?:,${option})*)[ \\t]+)?(?<key>(?:sk-)?(?:ssh|ecdsa)-[a-z0-9@.-]+[ \\t]+[A-Za-z0-9+/]+=*)(?:[ \\t].*)?$`,
);

/** Reads `lea@example.com ssh-ed25519 AAAA…`; null for anything else. */
export function parseAllowedSigner(text: string): AllowedSigner | null {
  const groups = line.exec(text.trim())?.groups;
  if (groups?.principals === undefined || groups.key === undefined) return null;
  return { principals: groups.principals, options: groups.options ?? '', key: groups.key };
}

const signerSchema = z
  .string()
  .max(20_000)
  .refine((text) => parseAllowedSigner(text) !== null, {
    error: 'is not a line of allowed_signers, such as: lea@example.com ssh-ed25519 AAAA…',
  });

/** `trust:` of the configuration. */
export const trustConfigSchema = z
  .strictObject({
    sign: z
      .boolean()
      .default(false)
      .describe('git flame sync signs your decisions of this clone, with git’s user.signingKey (gpg.format ssh).'),
    signers: z
      .array(signerSchema)
      .default([])
      .describe('Signers whose signed decisions count here like your own: lines as in ssh’s allowed_signers.')
      .meta({ examples: [['lea@example.com ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI…']] }),
  })
  .describe('Decisions made in other clones.');
