import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { findSecrets } from '../../../lib/policy/secrets/find-secrets.ts';

let state = 7;
const next = (limit: number): number => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const some = (alphabet: string, count: number): string =>
  Array.from({ length: count }, () => alphabet[next(alphabet.length)]).join('');
const [digits, hex] = ['0123456789', '0123456789abcdef'];
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const letters = `${upper}${upper.toLowerCase()}`;
const word = `${letters}${digits}`;
const h = (count: number): string => some(hex, count);
const w = (count: number): string => some(word, count);
const uuid = (): string => [8, 4, 4, 4, 12].map(h).join('-');

// Put together here, so that no scanner takes this file for a leak.
const samples: readonly (readonly [id: string, text: string])[] = [
  ['firebase-server-key', `FCM=AAAA${w(7)}:${w(140)}`],
  ['okta-access-token', `OKTA_API_TOKEN=00${w(40)}`],
  ['snyk-api-token', `SNYK_TOKEN=${uuid()}`],
  ['twitch-api-token', `twitch_client_secret: "${some(`${upper.toLowerCase()}${digits}`, 30)}"`],
  ['mapbox-secret-token', `sk.eyJ${w(60)}.${w(22)}`],
  [
    'mapbox-api-token',
    `MAPBOX=pk.${some(`${upper.toLowerCase()}${digits}`, 60)}.${some(`${upper.toLowerCase()}${digits}`, 22)}`,
  ],
  ['confluent-key', `CONFLUENT_SECRET_KEY=${some(`${upper.toLowerCase()}${digits}`, 64)}`],
  ['password-assignment', `DB_PASSWORD="${w(9)}7aQ${w(8)}!"`],
  ['aws-secret-key', `aws_secret_access_key = ${some(`${word}/+`, 40)}`],
  ['aws-secret-key', `AWS_SECRET_ACCESS_KEY="${some(`${word}/+`, 40)}"`],
  ['kubernetes-jwt', `token: "eyJ${w(33)}.eyJ${w(80)}.${w(43)}"`],
  ['npmrc-auth', `//registry.npmjs.org/:_authToken=${uuid()}`],
  ['npm-access-token', `//registry.npmjs.org/:_authToken=npm_${w(36)}`],
  ['vault-token', `hvs.${w(90)}`],
  ['vault-service-token', `VAULT_TOKEN=s.${w(24)}`],
  ['atlassian-api-token', `ATATT3xFfGF0${w(180)}`],
  ['databricks-api-token', `dapi${h(32)}`],
  ['telegram-bot-token', `${some('123456789', 10)}:AA${w(33)}`],
  ['discord-bot-token', `M${w(25)}.G${w(5)}.${w(38)}`],
  ['discord-webhook-url', `https://discord.com/api/webhooks/${some(digits, 18)}/${w(68)}`],
  ['twilio-api-key', `SK${h(32)}`],
  ['twilio-auth-token', `TWILIO_AUTH_TOKEN=${h(32)}`],
  ['google-oauth-secret', `GOCSPX-${w(28)}`],
  ['linear-api-key', `lin_api_${w(40)}`],
  ['grafana-token', `glsa_${w(32)}_${h(8)}`],
  ['grafana-token', `glc_${w(60)}`],
  ['pulumi-api-token', `pul-${h(40)}`],
  ['new-relic-key', `NRAK-${some(`${upper}${digits}`, 27)}`],
  ['mailgun-token', `key-${h(32)}`],
  ['postman-api-token', `PMAK-${h(24)}-${h(34)}`],
  ['url-password', `postgres://app:${w(16)}@db.internal:5432/app`],
  ['url-password', `https://lena:${w(20)}@git.acme.dev/x.git`],
  ['doppler-api-token', `dp.pt.${w(43)}`],
  ['doppler-api-token', `dp.st.dev.${w(43)}`],
  ['dockerhub-pat', `dckr_pat_${w(27)}`],
  ['docker-config-auth', `"auth": "${w(40)}=="`],
  ['azure-ad-client-secret', `${w(3)}8Q~${w(34)}`],
  ['azure-storage-key', `AccountName=a;AccountKey=${w(86)}==;EndpointSuffix=core`],
  ['rubygems-api-token', `rubygems_${h(48)}`],
  ['sentry-token', `sntryu_${h(64)}`],
  ['sentry-access-token', `SENTRY_AUTH_TOKEN=${h(64)}`],
  ['supabase-token', `sbp_${h(40)}`],
  ['fly-access-token', `FlyV1 fm2_${w(140)}`],
  ['fly-access-token', `fo1_${w(43)}`],
  ['netrc-password', `machine api.acme.dev login lena password ${w(20)}`],
  ['stripe-access-token', `rk_live_${w(40)}`],
  ['stripe-webhook-secret', `whsec_${w(32)}`],
  ['github-token', `ghs_${w(36)}`],
  ['gitlab-token', `glpat-${w(20)}`],
  ['gitlab-token', `glrt-${w(20)}`],
  ['gitlab-token', `gldt-${w(20)}`],
  ['gitlab-rrt', `GR1348941${w(20)}`],
  ['slack-token', `xoxp-${some(digits, 12)}-${some(digits, 12)}-${h(32)}`],
  ['slack-webhook-url', `https://hooks.slack.com/services/T${w(8)}/B${w(8)}/${w(26)}`],
  ['sendgrid-api-token', `SG.${w(22)}.${w(43)}`],
  ['groq-api-key', `gsk_${w(52)}`],
  ['huggingface-access-token', `hf_${some(letters, 34)}`],
  ['digitalocean-token', `dop_v1_${h(64)}`],
  ['shopify-token', `shpat_${h(32)}`],
  ['heroku-api-key', `HEROKU_API_KEY=${uuid()}`],
  ['heroku-api-key-v2', `HRKU-${w(58)}`],
  ['pypi-upload-token', `pypi-AgEIcHlwaS5vcmc${w(70)}`],
  ['hashicorp-tf-api-token', `${w(14)}.atlasv1.${w(64)}`],
  ['notion-api-token', `ntn_${w(46)}`],
  ['figma-token', `figd_${w(40)}`],
  ['airtable-pat', `pat${w(14)}.${h(64)}`],
  ['datadog-access-token', `DD_API_KEY=${h(32)}`],
  ['dynatrace-api-token', `dt0c01.${some(upper, 24)}.${some(upper, 64)}`],
  ['planetscale-token', `pscale_tkn_${w(43)}`],
  ['cloudflare-api-key', `CLOUDFLARE_API_TOKEN=${w(40)}`],
  ['tailscale-key', `tskey-auth-${w(12)}-${w(32)}`],
  ['openshift-token', `sha256~${w(43)}`],
  ['putty-private-key', `PuTTY-User-Key-File-2: ${'ssh-rsa'}`],
  ['basic-auth-header', `Authorization: Basic ${w(32)}`],
  ['generic-api-key', `client_secret: "${w(48)}"`],
];
for (const [id, text] of samples)
  test(`PCK-1: a credential of the kind ${id} is found`, () => {
    assert.equal(
      findSecrets(`a\n${text}\n`, null).filter((one) => one.id === id),
      [{ id, line: 2 }],
    );
  });

test('PCK-1: more than fifty kinds are known', () => {
  assert.ok(new Set(samples.map(([id]) => id)).size > 50);
});

const harmless: readonly string[] = [
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  'checksum = "a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f90"',
  'github.com/stretchr/testify v1.9.0 h1:HtqpIVDClZ4nwg75+f6Lvsy/wHu+3BoSGCbBAcpTsTg=',
  'const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";',
  'commit 4b17a590f3d2c1e8a7b6c5d4e3f201928374655f',
  'const apiKey = process.env.API_KEY;',
  `api_key: $${'{API_KEY}'}`,
  'SECRET_KEY=changeme',
  'password: "hunter2"',
  'postgres://user:password@localhost/db',
  'postgres://postgres:postgres@localhost:5432/test',
  `redis://:$${'{REDIS_PASSWORD}'}@redis:6379`,
  'https://example.com:8080/path@version',
  'https://lena:YOUR_TOKEN_HERE@github.com/x',
  'machine example.com login lena',
  '.sk-button-primary-large-with-icon { color: red }',
  'export function keyOf(token: string): string { return token.slice(0, 8); }',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'import { secret_key_name_of_the_configuration } from "./configuration";',
  'mailgun: true, twilio: false',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'const accessTokenExpiresInSeconds = 3600; // auth_token lifetime',
  'ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7 lena@laptop',
  'class="MuiButton-root MuiButton-contained MuiButton-sizeMedium"',
];
test('PCK-1: hashes, ids, lock files and placeholders are no credentials', () => {
  for (const text of harmless) assert.equal(findSecrets(text, null), [], text);
});

test('PCK-1: this project, with its lock file and minified code of others, holds none', () => {
  for (const path of [
    'package-lock.json',
    'README.md',
    'docs/commands.md',
    'docs/models.md',
    'REFS.md',
    'TUTORIAL.md',
    'lib/policy/secrets/secret-rules.ts',
    'node_modules/ejs/ejs.min.js',
    'node_modules/chart.js/dist/chart.umd.js',
    'node_modules/isomorphic-git/index.umd.min.js',
  ])
    assert.equal(findSecrets(readFileSync(path, 'utf8'), null), [], path);
});

test.run();
