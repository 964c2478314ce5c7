import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { configuredRegistriesEntry, type EgressPhase, readEgressHosts } from '../../domain/config/egress.ts';
import { readTextOrEmpty } from '../../util/read-file.ts';
import { egressLogFile, type RunFolder, writeLaunchFiles } from '../run-folder.ts';
import type { Confinement, RunnerContext } from '../runner-context.ts';
import type { CellProfile } from '../sandbox/bwrap-profile.ts';
import { makeSocketFolder } from '../watcher/socket-folder.ts';
import { buildPackageToolSettings, type Certificates, listPipFolders, readCertificates } from './cell-registries.ts';
import { egressProxyUser, openEgressProxy } from './egress-proxy.ts';
import { type EgressRules, openEgressLog } from './egress-rules.ts';
import { hostAndPortOfUrl } from './package-registry.ts';
import { type PersonRegistries, readRegistries } from './read-registries.ts';

/** The needs of one cell for its way out. */
export interface CellEgress {
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: CellProfile['mounts'];
  readonly ports: readonly number[];
  readonly programs: readonly string[];
  /** Files that tools read by what `env` says. */
  readonly shown: readonly string[];
  /** Puts what listens for the cell's programs before a command. */
  wrap(argv: readonly string[]): readonly string[];
  /** See EgressProxy. */
  refusals(): readonly string[];
  close(): Promise<void>;
}

interface EgressRequest {
  readonly phase: EgressPhase;
  readonly folder: RunFolder;
  readonly confinement: Confinement;
  /** Whose log it is. */
  readonly name: string;
}

// Not one a project's own server would take.
const doorPort = 47_114;
const bytesInMb = 1024 * 1024;
const insideFolder = '/run/blueflame-egress';
const socketName = 'egress.sock';
/** The program beside those in a cell: see entry/bridge. */
export const bridgeFile = 'bridge.cjs';

/** Opens a cell's way out to what the configuration names for this phase; null: that is nothing. */
export async function openEgress(context: RunnerContext, request: EgressRequest): Promise<CellEgress | null> {
  const { phase, folder, confinement, name } = request;
  const listed = context.config.sandbox.egress[phase];
  if (listed.length === 0) return null;
  const person = listed.includes(configuredRegistriesEntry) ? readRegistries(context.env) : null;
  const certificates = readCertificates(context.env);
  const isCell = confinement === 'bubblewrap';
  const secret = isCell ? null : randomBytes(16).toString('hex');
  const sockets = isCell ? makeSocketFolder(folder, 'egress') : null;
  const door = await openEgressProxy({
    rules: rulesOf(context, phase, person),
    socketPath: sockets === null ? null : join(sockets.path, socketName),
    secret,
    ca: trusted(certificates),
    log: openEgressLog(egressLogFile(context.repository.commonDir, name), context.now),
  });
  const proxy =
    secret === null ? `http://127.0.0.1:${doorPort}` : `http://${egressProxyUser}:${secret}@127.0.0.1:${door.port}`;
  const folders = person === null ? { shown: [], hidden: [] } : listPipFolders(person, context.env.HOME ?? '/');
  const tools = buildPackageToolSettings(proxy, { person, certificates });
  const bridge = buildBridgeCommand(context.distDir, doorPort, join(insideFolder, socketName));
  writeLaunchFiles(folder, tools.files);
  return {
    env: tools.env,
    mounts: sockets === null ? [] : [{ source: sockets.path, target: insideFolder }],
    ports: sockets === null ? [door.port] : [],
    programs: [process.execPath],
    shown: [context.distDir, ...certificates.files, ...folders.shown],
    wrap: (argv) => (sockets === null ? argv : [...bridge, ...argv]),
    refusals: () => [...door.refusals(), ...folders.hidden.map(notShown)],
    close: async () => {
      await door.close();
      await sockets?.remove();
    },
  };
}

/** Of a folder that pip's settings name: it finds nothing there, and would not say why. */
function notShown(path: string): string {
  return `${path}, which your pip settings name: cells never show it, because it is or contains a home folder or a place of keys`;
}

/** Builds the words before a command in a cell: what connects there to its loopback port reaches the socket. */
export function buildBridgeCommand(folder: string, port: number, socket: string): readonly string[] {
  return [process.execPath, join(folder, bridgeFile), String(port), socket];
}

function rulesOf({ config }: RunnerContext, phase: EgressPhase, person: PersonRegistries | null): EgressRules {
  const { egress } = config.sandbox;
  const registries = person?.registries ?? [];
  // A registry that the person's own tools are set up for may be inside a network: the person has named it.
  const own = registries.map(({ url }) => hostAndPortOfUrl(url));
  return {
    phase,
    // The gateway reads what goes to the person's registries: no tunnel is opened to them.
    hosts: readEgressHosts(egress[phase]),
    privateHosts: new Set([...readEgressHosts(egress.private), ...own]),
    registries,
    isOwnEmpty: person !== null && registries.length === 0,
    maxBytes: egress.max_mb * bytesInMb,
    maxSent: egress.max_sent_mb * bytesInMb,
  };
}

function trusted({ files }: Certificates): string | null {
  const texts = files.map(readTextOrEmpty);
  return texts.every((text) => text === '') ? null : [...rootCertificates, ...texts].join('\n');
}
