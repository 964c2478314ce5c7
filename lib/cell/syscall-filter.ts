/** For each architecture a program of this machine may be of: its name to the kernel, and its numbers of calls. */
interface Architecture {
  readonly name: number;
  readonly ioctl: readonly number[];
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
}

// On x64 the bit marks calls of x32.
const x32 = 0x40000000;
const machines: Readonly<Record<string, readonly Architecture[]>> = {
  x64: [
    { name: 0xc000003e, ioctl: [16, x32 + 514], keys: [248, 249, 250, x32 + 248, x32 + 249, x32 + 250] },
    { name: 0x40000003, ioctl: [54], keys: [286, 287, 288] },
  ],
  arm64: [
    { name: 0xc00000b7, ioctl: [29], keys: [217, 218, 219] },
    { name: 0x40000028, ioctl: [54], keys: [309, 310, 311] },
  ],
};

/** The file descriptor from which bubblewrap reads the filter. */
export const filterDescriptor = 4;

/**
 * A seccomp program against what namespaces don't part: typing into the terminal that an interactive agent shares
 * with the person's shell (TIOCSTI, TIOCLINUX), which would run once the agent is gone; and the keyrings of the
 * person's session. null where the numbers aren't known.
 */
export function syscallFilter(arch: string = process.arch): Buffer | null {
  const machine = machines[arch];
  if (machine === undefined) return null;
  const program = machine.flatMap((one) => {
    const block = judgeCalls(one);
    return [load(architectureOffset), jump(one.name, 0, block.length), ...block];
  });
  return Buffer.concat([...program, give(allow)]);
}

function judgeCalls({ ioctl, keys }: Architecture): Buffer[] {
  const terminal = [
    load(secondArgumentOffset),
    ...typing.flatMap((request) => [jump(request, 0, 1), give(refuse(notPermitted))]),
    give(allow),
  ];
  return [
    load(numberOffset),
    ...keys.flatMap((number) => [jump(number, 0, 1), give(refuse(noSuchCall))]),
    ...ioctl.flatMap((number) => [jump(number, 0, terminal.length), ...terminal]),
    give(allow),
  ];
}

// TIOCSTI, TIOCLINUX.
const typing = [0x5412, 0x541c];
const [notPermitted, noSuchCall] = [1, 38];
// Of struct seccomp_data; of an argument its lower half.
const [numberOffset, architectureOffset, secondArgumentOffset] = [0, 4, 24];
const allow = 0x7fff0000;

function refuse(errno: number): number {
  return 0x00050000 + errno;
}

function load(offset: number): Buffer {
  return instruction(0x20, { value: offset });
}

/** Skips so many instructions where the value is, and is not, the one given. */
function jump(value: number, ifSo: number, ifNot: number): Buffer {
  return instruction(0x15, { value, ifSo, ifNot });
}

function give(value: number): Buffer {
  return instruction(0x06, { value });
}

/** struct sock_filter, on a machine that stores the lower byte first. */
function instruction(
  code: number,
  { value, ifSo = 0, ifNot = 0 }: { readonly value: number; readonly ifSo?: number; readonly ifNot?: number },
): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(ifSo, 2);
  bytes.writeUInt8(ifNot, 3);
  bytes.writeUInt32LE(value, 4);
  return bytes;
}
