export interface SecretRule {
  /** That of the gitleaks rule for the same kind, where it has one. */
  readonly id: string;
  /** Lower case; a text without any of them holds no such credential. */
  readonly words: readonly string[];
  /** Of a credential alone, or of an assignment whose first group is its value. */
  readonly pattern: RegExp;
  /** Bits per character the first group, or the match, must have at least: placeholders repeat themselves. */
  readonly entropy?: number;
}

/** A kind whose issuer begins each token with the same letters. */
function token(id: string, words: string, pattern: RegExp, entropy = 1.5): SecretRule {
  return { id, words: words.split(' '), pattern, entropy };
}

/** A kind without a mark of its own: a value of its shape, given to a name that says what it is. */
function named(id: string, names: string, value: string, entropy = 2.8): SecretRule {
  const words = names.split(' ');
  const key = `(?:${words.join('|')})[\\w .-]{0,30}`;
  return {
    id,
    words: words.map((word) => word.replace(/[^a-z0-9].*$/, '')),
    pattern: new RegExp(`${key}["'\`]?\\s{0,3}(?::=|=>|[=:,(])\\s{0,3}["'\`]?(${value})(?![\\w/+=-])`, 'i'),
    entropy,
  };
}

const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/**
 * The formats their issuers publish. Those that begin with letters of the issuer's own are found anywhere;
 * the others only beside a name that says what they are, and where they are random enough to be one.
 */
export const secretRules: readonly SecretRule[] = [
  token('private-key', '-----begin', /-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----/, 0),
  token('putty-private-key', 'putty-user-key-file', /PuTTY-User-Key-File-\d: \S+/, 0),
  token('age-secret-key', 'age-secret-key-1', /\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b/),
  token(
    'aws-access-token',
    'akia asia abia acca a3t',
    /\b(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/,
    2.5,
  ),
  named(
    'aws-secret-key',
    'aws_secret aws-secret awssecret secret_access_key secretaccesskey secret_key',
    '[A-Za-z0-9/+]{40}',
    3.8,
  ),
  token('aws-bedrock-key', 'absk', /\bABSK[A-Za-z0-9+/]{109,269}={0,2}/),
  token('github-token', 'ghp_ gho_ ghu_ ghs_ ghr_', /\bgh[pousr]_[0-9A-Za-z]{36,255}\b/),
  token('github-fine-grained-pat', 'github_pat_', /\bgithub_pat_\w{36,255}/),
  token(
    'gitlab-token',
    'glpat- gloas- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct- glrtr-',
    /\bgl(?:pat|oas|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct)-[\w.-]{20,}/,
  ),
  token('gitlab-rrt', 'gr1348941', /\bGR1348941[\w-]{20}/),
  token('gitlab-session-cookie', '_gitlab_session', /_gitlab_session=([0-9a-z]{32})/),
  token('anthropic-api-key', 'sk-ant-', /\bsk-ant-[a-z0-9]+-[\w-]{20,}/),
  token(
    'openai-api-key',
    'sk-',
    /\bsk-(?:(?:proj|svcacct|admin|None)-[\w-]{32,}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48}\b)/,
  ),
  token('openrouter-api-key', 'sk-or-', /\bsk-or-v\d-[0-9a-f]{64}\b/),
  token('groq-api-key', 'gsk_', /\bgsk_[A-Za-z0-9]{52}\b/),
  token('xai-api-key', 'xai-', /\bxai-[A-Za-z0-9]{70,90}\b/),
  token('perplexity-api-key', 'pplx-', /\bpplx-[A-Za-z0-9]{48}\b/),
  token('replicate-api-token', 'r8_', /\br8_[A-Za-z0-9]{37,40}\b/),
  named('cohere-api-token', 'cohere co_api_key', '[A-Za-z0-9]{40}', 4),
  named('mistral-api-key', 'mistral', '[A-Za-z0-9]{32}', 3.5),
  token('huggingface-access-token', 'hf_ api_org_', /\b(?:hf|api_org)_[A-Za-z0-9]{34,40}\b/),
  token('slack-token', 'xox', /\bxox[abeoprs]-(?:\d+-)*[0-9A-Za-z-]{10,}|\bxoxe\.xox[bp]-\d-[A-Z0-9]{100,}/i),
  token('slack-app-token', 'xapp-', /\bxapp-\d-[A-Z0-9]+-\d+-[a-z0-9]+/i),
  token(
    'slack-webhook-url',
    'hooks.slack.com',
    /hooks\.slack\.com\/(?:services|workflows|triggers)\/[A-Za-z0-9+/]{43,}/,
  ),
  token('discord-webhook-url', 'discord', /discord(?:app)?\.com\/api\/webhooks\/\d{16,20}\/[\w-]{60,}/),
  token(
    'discord-bot-token',
    '.',
    /\b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])/,
    4,
  ),
  named('discord-client-secret', 'discord', '[A-Za-z0-9_-]{32}', 3.5),
  token('telegram-bot-token', ':a', /\b\d{8,10}:A[A-Za-z0-9_-]{34}(?![\w-])/, 3.5),
  token(
    'microsoft-teams-webhook',
    'webhook.office.com',
    /\.webhook\.office\.com\/webhookb2\/[0-9a-f-]{36}@[0-9a-f-]{36}\/IncomingWebhook\/[0-9a-f]{32}/,
  ),
  token('gcp-api-key', 'aiza', /\bAIza[\w-]{35}(?![\w-])/),
  token('google-oauth-secret', 'gocspx-', /\bGOCSPX-[\w-]{28}(?![\w-])/),
  token('google-oauth-token', 'ya29.', /\bya29\.[\w-]{40,}/),
  token('azure-ad-client-secret', '8q~ 7q~', /(?<![\w~.-])[\w~.-]{3}[78]Q~[\w~.-]{31,34}(?![\w~.-])/, 3.5),
  token(
    'azure-storage-key',
    'accountkey= sharedaccesskey=',
    /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{43,88}={1,2})/i,
  ),
  token('azure-sas-token', 'sig=', /\bsv=\d{4}-\d\d-\d\d&[^\s"']*\bsig=([A-Za-z0-9%+/]{40,})/),
  named('azure-key', 'azure ocp-apim-subscription-key cognitive', '[0-9a-f]{32}', 3),
  token('azure-devops-pat', 'azdo', /\b[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b/),
  token('stripe-access-token', 'sk_ rk_', /\b[sr]k_(?:test|live|prod)_[A-Za-z0-9]{10,99}\b/, 2),
  token('stripe-webhook-secret', 'whsec_', /\bwhsec_[A-Za-z0-9+/=]{24,}/),
  token('square-access-token', 'eaaa sq0', /\b(?:EAAA[\w-]{60}|sq0[a-z]{3}-[\w-]{22,43})(?![\w-])/),
  token(
    'paypal-braintree-token',
    'access_token$',
    /access_token\$(?:production|sandbox)\$[0-9a-z]{16}\$[0-9a-f]{32}/,
  ),
  token('npm-access-token', 'npm_', /\bnpm_[A-Za-z0-9]{36}\b/),
  token(
    'npmrc-auth',
    '_authtoken _auth= _password',
    /:?(?:_authToken|_auth|_password)\s*=\s*["']?(?!\$)([A-Za-z0-9+/=_.-]{16,})/,
  ),
  token('pypi-upload-token', 'pypi-', /\bpypi-AgE(?:IcHlwaS5vcmc|NdGVzdC5weXBpLm9yZw)[\w-]{50,}/),
  token('rubygems-api-token', 'rubygems_', /\brubygems_[0-9a-f]{48}\b/),
  token('nuget-api-key', 'oy2', /\boy2[a-z0-9]{43}\b/),
  token('crates-io-token', 'cio', /\bcio[A-Za-z0-9]{32}\b/, 3.5),
  token('clojars-api-token', 'clojars_', /\bCLOJARS_[a-z0-9]{60}\b/i),
  token('dockerhub-pat', 'dckr_', /\bdckr_(?:pat|oat)_[\w-]{24,40}/),
  token('docker-config-auth', '"auth"', /"auth"\s*:\s*"([A-Za-z0-9+/]{20,}={0,2})"/, 3.5),
  token('sendgrid-api-token', 'sg.', /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/),
  token('mailgun-token', 'key- pubkey-', /\b(?:pub)?key-[0-9a-f]{32}\b/),
  named('mailgun-signing-key', 'mailgun', '[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}', 3),
  token('mailchimp-api-key', '-us', /\b[0-9a-f]{32}-us\d{1,2}\b/),
  token('sendinblue-api-token', 'xkeysib-', /\bxkeysib-[0-9a-f]{64}-[A-Za-z0-9]{16}\b/),
  named('postmark-token', 'postmark', uuid),
  token('twilio-api-key', 'sk', /\bSK[0-9a-f]{32}\b/),
  named('twilio-auth-token', 'twilio', '[0-9a-f]{32}'),
  token('digitalocean-token', 'dop_v1_ doo_v1_ dor_v1_', /\bdo[opr]_v1_[a-f0-9]{64}\b/),
  token('shopify-token', 'shpat_ shpca_ shppa_ shpss_ shptka_', /\bshp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}\b/),
  token('heroku-api-key-v2', 'hrku-', /\bHRKU-[\w-]{36,60}/),
  named('heroku-api-key', 'heroku', uuid),
  token('vault-token', 'hvs. hvb. hvr.', /\bhv[sbr]\.[\w-]{24,300}/),
  token('vault-service-token', 's.', /(?:vault|token)[\w ."':=-]{0,30}\bs\.[A-Za-z0-9]{24}\b/i, 3.5),
  token('hashicorp-tf-api-token', '.atlasv1.', /\b[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,70}/),
  token('atlassian-api-token', 'atatt3 atctt3 atbb', /\b(?:AT[AC]TT3[\w=-]{150,250}|ATBB[A-Za-z0-9]{32})/),
  named('atlassian-old-token', 'atlassian jira confluence', '[A-Za-z0-9]{24}', 3.5),
  named('bitbucket-client-secret', 'bitbucket', '[A-Za-z0-9=_-]{32,64}', 3.5),
  token('databricks-api-token', 'dapi', /\bdapi[0-9a-f]{32}(?:-\d)?\b/),
  token('doppler-api-token', 'dp.', /\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[\w-]+\.)?[A-Za-z0-9]{40,44}\b/),
  token('linear-api-key', 'lin_', /\blin_(?:api|oauth)_[A-Za-z0-9]{32,64}\b/),
  token('notion-api-token', 'ntn_ secret_', /\b(?:ntn_[A-Za-z0-9]{40,50}|secret_[A-Za-z0-9]{43})\b/, 3.5),
  token('airtable-pat', 'pat', /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/),
  token('asana-pat', '/1', /\b\d\/\d{16}(?:\/\d{16})?:[0-9a-f]{32}\b/),
  token('figma-token', 'figd_', /\bfig[dr]_[\w-]{38,}/),
  token('postman-api-token', 'pmak-', /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/i),
  token('grafana-api-key', 'eyjrijoi', /\beyJrIjoi[A-Za-z0-9]{70,400}={0,3}/),
  token(
    'grafana-token',
    'glc_ glsa_',
    /\b(?:glc_[A-Za-z0-9+/]{32,400}={0,3}|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8})/,
  ),
  token('pulumi-api-token', 'pul-', /\bpul-[0-9a-f]{40}\b/),
  token(
    'new-relic-key',
    'nrak- nrjs- nrii- nral',
    /\b(?:NRAK-[A-Z0-9]{27}|NRJS-[0-9a-f]{19}|NRII-[\w-]{32}|[0-9a-f]{36}NRAL)\b/i,
  ),
  named('datadog-access-token', 'datadog dd_api_key dd_app_key', '(?:[0-9a-f]{40}|[0-9a-f]{32})'),
  token('dynatrace-api-token', 'dt0c01.', /\bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b/i),
  token('sentry-token', 'sntrys_ sntryu_', /\bsntry(?:s_eyJ[\w+/=-]{80,}|u_[0-9a-f]{64})/),
  named('sentry-access-token', 'sentry', '[0-9a-f]{64}'),
  token('sentry-dsn-secret', 'ingest', /https:\/\/[0-9a-f]{32}:([0-9a-f]{32})@[\w.-]+\/\d+/),
  token('supabase-token', 'sbp_ sb_secret_', /\b(?:sbp_[0-9a-f]{40}|sb_secret_[\w-]{22,})/),
  token(
    'fly-access-token',
    'fm1 fm2_ fo1_',
    /\b(?:fo1_[\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3})/,
  ),
  named('vercel-token', 'vercel', '[A-Za-z0-9]{24}', 3.5),
  token('netlify-token', 'nfp_', /\bnfp_[A-Za-z0-9]{36,40}\b/),
  named('netlify-access-token', 'netlify', '[\\w=-]{40,46}', 3.5),
  token('railway-render-token', 'rnd_', /\brnd_[A-Za-z0-9]{32}\b/),
  token('planetscale-token', 'pscale_', /\bpscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}/),
  token('mongodb-atlas-key', 'mdb_sa_', /\bmdb_sa_sk_[\w-]{30,}/),
  token('cloudflare-origin-ca-key', 'v1.0-', /\bv1\.0-[0-9a-f]{24}-[0-9a-f]{146}\b/),
  named('cloudflare-api-key', 'cloudflare cf_api', '(?:[\\w-]{40}|[0-9a-f]{37})', 3.5),
  named('fastly-api-token', 'fastly', '[\\w=-]{32}', 3.5),
  token('terraform-scaleway-key', 'scw', /\bSCW[A-Z0-9]{17}\b/),
  token('alibaba-access-key', 'ltai', /\bLTAI[A-Za-z0-9]{20}\b/),
  token('tencent-secret-id', 'akid', /\bAKID[A-Za-z0-9]{32}\b/),
  token('yandex-token', 'y0_ aqva', /\b(?:y0_[\w-]{50,}|AQVN[\w-]{35,38})/),
  token('facebook-access-token', 'eaa', /\bEAA[MC][A-Za-z0-9]{100,}/),
  token('twitter-bearer-token', 'aaaaaaaaaaaaaaaaaaa', /\bA{22}[A-Za-z0-9%]{80,100}/, 0),
  token('dropbox-token', 'sl.', /\bsl\.(?:u\.)?[\w=-]{130,}/),
  named('dropbox-api-secret', 'dropbox', '[a-z0-9]{15}', 3),
  token(
    'hubspot-token',
    'pat-na1 pat-eu1',
    /\bpat-(?:na|eu)\d-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/,
  ),
  token(
    'intercom-launchdarkly-key',
    'sdk- api-',
    /\b(?:sdk|api)-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}\b/,
  ),
  token('circleci-token', 'ccipat_', /\bCCIPAT_[A-Za-z0-9]{22}_[0-9a-f]{40}\b/i),
  token('buildkite-token', 'bkua_', /\bbkua_[0-9a-f]{40}\b/),
  named('codecov-travis-token', 'codecov travis', '[A-Za-z0-9-]{22,36}', 3.5),
  token('sonarqube-token', 'sqp_ squ_ sqa_', /\bsq[pua]_[0-9a-f]{40}\b/),
  token('artifactory-api-key', 'akcp cmvmdgtu', /\b(?:AKCp[A-Za-z0-9]{69}|cmVmdGtu[A-Za-z0-9]{56})\b/),
  token('contentful-token', 'cfpat-', /\bCFPAT-[\w-]{43}/i),
  token('prefect-token', 'pnu_', /\bpnu_[A-Za-z0-9]{36}\b/),
  token('readme-token', 'rdme_', /\brdme_[a-z0-9]{70}\b/),
  token('infracost-token', 'ico-', /\bico-[A-Za-z0-9]{32}\b/),
  token(
    'onepassword-token',
    'ops_ a3-',
    /\b(?:ops_eyJ[A-Za-z0-9+/]{250,}={0,3}|A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5})\b/,
  ),
  token('tailscale-key', 'tskey-', /\btskey-[a-z]+-[\w-]{20,}/),
  token('easypost-token', 'ezak ezt', /\bEZ[AT]K[A-Za-z0-9]{54}\b/),
  token('duffel-token', 'duffel_', /\bduffel_(?:test|live)_[\w=-]{43}/),
  token('flutterwave-key', 'flwseck', /\bFLWSECK(?:_TEST)?-[0-9a-h]{12,32}/i),
  token(
    'plaid-token',
    'access-',
    /\baccess-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/,
  ),
  token('adobe-client-secret', 'p8e-', /\bp8e-[A-Za-z0-9]{32}\b/i),
  token('typeform-token', 'tfp_', /\btfp_[\w.=-]{59}/),
  token('sourcegraph-token', 'sgp_', /\bsgp_(?:[0-9a-f]{16}_|local_)?[0-9a-f]{40}\b/),
  token('openshift-token', 'sha256~', /\bsha256~[\w-]{43}(?![\w-])/, 3.5),
  token('kubernetes-jwt', 'eyj', /\bey[A-Za-z0-9]{17,}\.ey[A-Za-z0-9/_-]{17,}\.[A-Za-z0-9/_-]{20,}={0,2}/),
  token(
    'url-password',
    '://',
    /\b[a-z][a-z0-9+.-]{2,20}:\/\/[^\s:/@"'`<>{}$]{1,80}:(?!\/\/)([^\s/@"'`<>{}$%*:]{8,120}|[^\s/@"'`<>{}$:]{12,120})@[\w.[\]-]+/i,
    2.8,
  ),
  token('netrc-password', 'machine', /\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S{8,})/, 2.5),
  token(
    'basic-auth-header',
    'authorization',
    /authorization["']?\s*[:=]\s*["']?Basic\s+([A-Za-z0-9+/]{20,}={0,2})/i,
  ),
  token(
    'curl-auth-user',
    'curl',
    /\bcurl\b[^\n]{0,200}\s(?:-u|--user)\s*["']?[^\s:"'$]{1,60}:([^\s"'$]{8,})/,
    2.8,
  ),
  token('firebase-server-key', 'aaaa', /\bAAAA[\w-]{7}:[\w-]{140}(?![\w-])/, 4),
  named('okta-access-token', 'okta', '00[\\w-]{40}', 4),
  named('snyk-api-token', 'snyk', uuid),
  named('twitch-api-token', 'twitch', '[a-z0-9]{30}', 3.8),
  token('mapbox-secret-token', 'k.eyj', /\b[st]k\.eyJ[\w-]{40,200}\.[\w-]{20,24}(?![\w-])/, 4),
  named('mapbox-api-token', 'mapbox', 'pk\\.[a-z0-9]{60}\\.[a-z0-9]{22}', 4),
  named('confluent-key', 'confluent', '(?:(?=[a-z]*\\d)[a-z0-9]{64}|(?=[a-z]{0,15}\\d)[a-z0-9]{16})', 3.3),
  // Of a password only the quotes, or a line of settings, say where it ends; most that are short are examples.
  token(
    'password-assignment',
    'password passwd passphrase',
    /(?:[Pp]ass(?:word|wd|phrase)|PASS(?:WORD|WD|PHRASE))["']?\s{0,3}(?:=>|:=|[:=])\s{0,3}["'`](?=[^"'`]*\d)(?=[^"'`]*[a-z])(?=[^"'`]*(?:[A-Z][^"'`]*[A-Z]|[!#&*+?@^~]))([^\s"'`<>{}()\\$%]{12,72})["'`]/,
    3.5,
  ),
  named(
    'generic-api-key',
    'api_key apikey api-key secret_key client_secret access_token auth_token private_token',
    '(?=[\\w.=-]*\\d)(?=[\\w.=-]*[a-z])[\\w.=-]{32,120}',
    4.2,
  ),
];
