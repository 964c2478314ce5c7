import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

/** The network of one machine: nothing but a cable to where the remote is, which can be pulled out. */
export interface MachineNet {
  /** Where what listens on all addresses is found from in there. */
  readonly host: string;
  /** What comes before a command that is to run in it. */
  readonly enter: readonly string[];
  /** Cut, packets are lost: what is connected hears nothing any more, and what connects waits. */
  cut(isCut: boolean): void;
  close(): void;
}

/** Whether such networks can be made here. */
export function canMakeNets(): boolean {
  const script = 'ip link set lo up && ip link add a type veth peer name b && nsenter -t $$ -n true';
  return [['-n'], ['-rn']].some((flags) => spawnSync('unshare', [...flags, 'sh', '-c', script]).status === 0);
}

/**
 * Makes a network namespace for a machine, joined with this process's own, which should be one of the tests' (see
 * `enterNetworkNamespace`). It goes with the process that holds it, whatever ends this one.
 */
export async function makeNet(at: number): Promise<MachineNet> {
  const holder = await startHolder();
  const enter = ['nsenter', '-t', `${holder.pid}`, '-n', '--'];
  const [near, far, host, own] = [`near${at}`, `far${at}`, `10.77.${at}.1`, `10.77.${at}.2`];
  const ip = (...words: readonly string[]): void => void execFileSync('ip', words);
  const inside = (...words: readonly string[]): void =>
    void execFileSync('nsenter', [...enter.slice(1), 'ip', ...words]);
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far, 'netns', `${holder.pid}`);
  ip('address', 'add', `${host}/30`, 'dev', near);
  ip('link', 'set', near, 'up');
  inside('address', 'add', `${own}/30`, 'dev', far);
  inside('link', 'set', far, 'up');
  return {
    host,
    enter,
    // The side of the remote: the machine's own cable looks as if all were well.
    cut: (isCut) => ip('link', 'set', near, isCut ? 'down' : 'up'),
    close: () => void holder.stdin?.end(),
  };
}

/** A process that does nothing but keep a namespace, until this one ends. */
async function startHolder(): Promise<ChildProcess> {
  const script = 'ip link set lo up && echo ready && exec cat';
  const holder = spawn('unshare', ['-n', 'sh', '-c', script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const isReady = once(holder.stdout, 'data');
  const [said] = (await Promise.race([isReady, once(holder, 'close').then(() => [null])])) as [unknown];
  if (said === null) throw new Error('no network namespace can be made here');
  holder.unref();
  return holder;
}
