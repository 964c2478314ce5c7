import { spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { parseJsonRecord } from './json.ts';
import { readTextOrEmpty } from './read-file.ts';

/** A process that can be distinguished from every other one, also after its pid was given to another. */
export interface ProcessIdentity {
  readonly pid: number;
  /** See readProcessStart. */
  readonly start: string | null;
  readonly host: string;
  /** The boot of the machine; '' where the system doesn't report it. */
  readonly boot: string;
  /** The namespace the pid counts in; '' where there are none. */
  readonly namespace: string;
}

let own: ProcessIdentity | null = null;

export function ownIdentity(): ProcessIdentity {
  own ??= {
    pid: process.pid,
    start: readProcessStart(process.pid),
    host: hostname(),
    boot: readTextOrEmpty('/proc/sys/kernel/random/boot_id').trim(),
    namespace: readLink('/proc/self/ns/pid'),
  };
  return own;
}

/** Of another process that is seen here; null where it isn't there. */
export function readProcessIdentity(pid: number): ProcessIdentity | null {
  const start = readProcessStart(pid);
  return start === null ? null : { ...ownIdentity(), pid, start };
}

/**
 * Whether a process still lives. 'unknown' of one on another machine or in another container, whose pids mean
 * nothing here.
 */
export function processState(process: ProcessIdentity): 'own' | 'alive' | 'gone' | 'unknown' {
  const here = ownIdentity();
  if (process.host !== here.host) return 'unknown';
  if (process.boot !== here.boot) return 'gone';
  if (process.namespace !== here.namespace || process.start === null) return 'unknown';
  if (process.pid === here.pid && process.start === here.start) return 'own';
  return readProcessStart(process.pid) === process.start ? 'alive' : 'gone';
}

/** Reads what JSON.stringify made of an identity; null if it isn't one. */
export function parseIdentity(text: string): ProcessIdentity | null {
  const { pid, start, host, boot, namespace } = parseJsonRecord(text);
  if (typeof pid !== 'number' || !Number.isInteger(pid) || (start !== null && typeof start !== 'string')) return null;
  if (typeof host !== 'string' || typeof boot !== 'string' || typeof namespace !== 'string') return null;
  return { pid, start, host, boot, namespace };
}

/**
 * When a process started, as text to compare: a pid alone is used again by others. null if it isn't there
 * (a zombie isn't).
 */
export function readProcessStart(pid: number): string | null {
  if (process.platform !== 'linux') return runPs(pid, 'lstart=');
  const stat = readStat(pid);
  return stat === null || stat.state === 'Z' ? null : stat.start;
}

interface ProcessStat {
  readonly state: string;
  readonly parent: number;
  /** The process that began its session. */
  readonly session: number;
  /** The group of processes that has its terminal; -1: it has no terminal. */
  readonly foreground: number;
  readonly start: string;
}

/** Reads the state of a process from /proc; null where that can't be read. */
export function readStat(pid: number): ProcessStat | null {
  const text = readTextOrEmpty(`/proc/${pid}/stat`);
  if (text === '') return null;
  // The program's name is in brackets and may hold blanks and brackets itself.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = '', parent, , session, , foreground] = fields;
  return {
    state,
    start: fields[19] ?? '',
    parent: Number(parent),
    session: Number(session),
    foreground: Number(foreground),
  };
}

/** Asks ps about a process, for systems without /proc; null where there is no such process, or no ps. */
export function runPs(pid: number, columns: string): string | null {
  const { error, stdout } = spawnSync('ps', ['-o', columns, '-p', String(pid)], { encoding: 'utf8' });
  const text = error === undefined ? stdout.trim() : '';
  return text === '' ? null : text;
}

/** '' where there is none, or it can't be read. */
export function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** All processes that are seen here; none where the system has no /proc. */
export function listProcesses(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}
