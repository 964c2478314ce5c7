import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from './repo.ts';

/** How the stand-in behaves: as Beads, or as one of its failures. */
export type BdMode = 'works' | 'old' | 'other program' | 'locked' | 'no json' | 'crashes';

export interface StandIn {
  /** To be put before PATH. */
  readonly bin: string;
  /** Every call's arguments after the global ones, the newest last. */
  calls(): readonly (readonly string[])[];
  beads(): readonly Record<string, unknown>[];
  become(mode: BdMode): void;
}

/**
 * A stand-in for `bd` that takes the arguments and answers the JSON of its source (1.0.3, cmd/bd) and refuses all
 * others. As Beads does, it exports after a write unless its settings say no, and stages that file for git.
 */
export function makeStandIn(mode: BdMode = 'works'): StandIn {
  const bin = makeTempDir('bd');
  const [state, log, modeFile] = [join(bin, 'beads.json'), join(bin, 'calls.jsonl'), join(bin, 'mode')];
  writeFileSync(join(bin, 'bd'), `#!${process.execPath}\n${program(bin)}`);
  chmodSync(join(bin, 'bd'), 0o755);
  writeFileSync(modeFile, mode);
  const lines = (file: string): string[] =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return {
    bin,
    calls: () => lines(log).map((line) => JSON.parse(line) as string[]),
    beads: () => (existsSync(state) ? (JSON.parse(readFileSync(state, 'utf8')) as Record<string, unknown>[]) : []),
    become: (next) => writeFileSync(modeFile, next),
  };
}

/** A workspace as `bd init --stealth` leaves it: git doesn't see it. */
export function makeWorkspace(root: string): void {
  mkdirSync(join(root, '.beads'), { recursive: true });
  writeFileSync(join(root, '.beads', 'metadata.json'), '{}\n');
  mkdirSync(join(root, '.git', 'info'), { recursive: true });
  writeFileSync(join(root, '.git', 'info', 'exclude'), '.beads/\n', { flag: 'a' });
}

function program(bin: string): string {
  return `
const fs = require('node:fs'), path = require('node:path'), { execFileSync } = require('node:child_process');
const bin = ${JSON.stringify(bin)}, state = path.join(bin, 'beads.json');
const mode = fs.readFileSync(path.join(bin, 'mode'), 'utf8');
const args = process.argv.slice(2);
const fail = (error, code = 1) => { process.stdout.write(JSON.stringify({ schema_version: 1, data: { error } })); process.exit(code); };
const take = (flag, withValue) => { const at = args.indexOf(flag); return at < 0 ? undefined : withValue ? args.splice(at, 2)[1] : !!args.splice(at, 1); };
const root = take('-C', true), json = take('--json'), sandbox = take('--sandbox'), readonly = take('--readonly'), actor = take('--actor', true);
fs.appendFileSync(path.join(bin, 'calls.jsonl'), JSON.stringify(args) + '\\n');
if (!root || !json || !sandbox || process.env.BD_JSON_ENVELOPE !== '1') fail('unexpected global arguments', 97);
const answer = (data) => process.stdout.write(JSON.stringify({ schema_version: 1, data }));
const command = args.shift();
if (mode === 'crashes') { process.stderr.write('panic: runtime error\\n'); process.exit(2); }
if (command === 'version') {
  if (args.length) fail('arguments', 97);
  if (mode === 'other program') { process.stdout.write('usage: bd [file]\\n'); process.exit(0); }
  answer({ version: mode === 'old' ? '0.58.1' : '1.0.5', build: 'test' });
  process.exit(0);
}
if (!fs.existsSync(path.join(root, '.beads'))) fail('no beads database found');
if (mode === 'locked') { process.stderr.write('Error: database is locked by another process\\n'); process.exit(1); }
if (mode === 'no json') { process.stdout.write('Dolt is starting'); process.exit(0); }
const beads = fs.existsSync(state) ? JSON.parse(fs.readFileSync(state, 'utf8')) : [];
const now = new Date().toISOString();
const write = () => {
  if (readonly || !actor) fail('write without an actor, or by --readonly', 97);
  fs.writeFileSync(state, JSON.stringify(beads));
  if (process.env.BD_EXPORT_AUTO === 'false') return;
  fs.writeFileSync(path.join(root, '.beads', 'issues.jsonl'), JSON.stringify(beads) + '\\n');
  if (process.env.BD_EXPORT_GIT_ADD !== 'false') execFileSync('git', ['add', '-f', '.beads/issues.jsonl'], { cwd: root });
};
if (command === 'list') {
  const labels = (take('--label-any', true) ?? '').split(',');
  const all = take('--all'), most = Number(take('-n', true) ?? 50), sort = take('--sort', true);
  if (args.length || sort !== 'updated') fail('arguments: ' + args, 97);
  answer(beads.filter((b) => (all || b.status !== 'closed') && b.labels.some((l) => labels.includes(l))).slice(-most).reverse());
} else if (command === 'create') {
  const type = take('-t', true), priority = take('-p', true), labels = take('-l', true), metadata = take('--metadata', true), body = take('--body-file', true);
  const [title, ...rest] = args;
  if (rest.length || title.startsWith('-') || type !== 'task' || priority !== '4' || body !== '-' || !metadata.startsWith('@')) fail('arguments: ' + rest, 97);
  const description = fs.readFileSync(0, 'utf8');
  const bead = { id: 'flame-' + (beads.length + 1).toString(36), title, description, status: 'open', priority: 4, issue_type: 'task', created_at: now, updated_at: now, labels: labels.split(','), metadata: JSON.parse(fs.readFileSync(metadata.slice(1), 'utf8')) };
  beads.push(bead);
  write();
  answer(bead);
} else if (command === 'close') {
  const reason = take('--reason', true);
  const bead = beads.find((b) => b.id === args[0]);
  if (args.length !== 1 || !bead || !reason) fail('no issue found', 1);
  Object.assign(bead, { status: 'closed', close_reason: reason, closed_at: now, updated_at: now });
  write();
  answer([bead]);
} else fail('unknown command ' + command, 97);
`;
}
