import { programPath } from '../../util/programs.ts';
import { unreachable } from '../../util/unreachable.ts';
import { mountOverlays } from '../dependencies/mount-overlays.ts';
import type { SandboxState } from '../sandbox-state.ts';
import { bwrapArguments, type CellProfile } from './bwrap-profile.ts';
import { seatbeltArguments } from './seatbelt-profile.ts';

/** Builds the words before a command that put it into its cell. */
export function confine({ confinement, entrance }: SandboxState, profile: CellProfile): readonly string[] {
  const { PATH } = profile.env;
  switch (confinement) {
    case 'bubblewrap':
      return [
        ...mountOverlays(entrance, profile.overlays, PATH),
        programPath('bwrap', PATH),
        ...bwrapArguments(profile),
      ];
    case 'seatbelt':
      return ['sandbox-exec', ...seatbeltArguments(profile)];
    case 'namespaces':
      return namespaceCommand;
    case 'watched':
      return [];
    default:
      return unreachable(confinement);
  }
}

/** The command that ends with its parent and takes all its descendants along, without bubblewrap. */
export const namespaceCommand = [
  'setpriv',
  '--pdeathsig',
  'KILL',
  '--',
  'unshare',
  '--user',
  '--map-current-user',
  '--fork',
  '--pid',
  '--kill-child',
  '--mount-proc',
];
