/** For each architecture a program of this machine may be of: its name to the kernel, and its numbers of calls. */
interface Architecture {
  readonly name: number;
  readonly ioctl: number;
  readonly socket: number;
  /** add_key, request_key, keyctl. */
  readonly keys: readonly number[];
  /** ptrace, process_vm_readv, process_vm_writev, pidfd_getfd, kcmp, process_madvise. */
  readonly others: readonly number[];
  /** perf_event_open, bpf, userfaultfd, io_uring_setup, io_uring_enter, io_uring_register. */
  readonly kernel: readonly number[];
}

const rings = [425, 426, 427];
// Of Intel's 32 bits: socket() with its family behind a pointer, where no filter sees it.
const socketcall = 102;
const machines: Readonly<Record<string, readonly Architecture[]>> = {
  x64: [
    {
      name: 0xc000003e,
      ioctl: 16,
      socket: 41,
      keys: [248, 249, 250],
      others: [101, 310, 311, 438, 312, 440],
      kernel: [298, 321, 323, ...rings],
    },
    {
      name: 0x40000003,
      ioctl: 54,
      socket: 359,
      keys: [286, 287, 288],
      others: [26, 347, 348, 438, 349, 440],
      kernel: [336, 357, 374, ...rings, socketcall],
    },
  ],
  arm64: [
    {
      name: 0xc00000b7,
      ioctl: 29,
      socket: 198,
      keys: [217, 218, 219],
      others: [117, 270, 271, 438, 272, 440],
      kernel: [241, 280, 282, ...rings],
    },
    {
      name: 0x40000028,
      ioctl: 54,
      socket: 281,
      keys: [309, 310, 311],
      others: [26, 376, 377, 438, 378, 440],
      kernel: [364, 386, 388, ...rings],
    },
  ],
};

/** The file descriptor from which bubblewrap reads the filter. */
export const filterDescriptor = 4;

interface FilterOptions {
  /** Its processes may look into each other, as debuggers and leak checkers do: there is no agent among them. */
  readonly mayTrace: boolean;
  readonly arch?: string;
}

/**
 * A seccomp program against what namespaces don't part: typing into the terminal that an interactive agent shares
 * with the person's shell (TIOCSTI, TIOCLINUX), which would run once the agent is gone; sockets of families that no
 * network namespace parts, such as a virtual machine's line to its host; the keyrings of the person's session; the calls by which one process takes another's memory or files (through /proc it still
 * can, within one cell); and what the kernel offers to few programs but has been broken by many. Programs of another architecture than the
 * machine's own are refused every call. null where the numbers aren't known.
 */
export function syscallFilter({ mayTrace, arch = process.arch }: FilterOptions): Buffer | null {
  const machine = machines[arch];
  if (machine === undefined) return null;
  const program = machine.flatMap((one) => {
    const block = judgeCalls(one, mayTrace);
    return [load(architectureOffset), jump(one.name, 0, block.length), ...block];
  });
  return Buffer.concat([...program, give(refuse(notPermitted))]);
}

function judgeCalls({ ioctl, socket, keys, others, kernel }: Architecture, mayTrace: boolean): Buffer[] {
  const terminal = [load(secondArgumentOffset), ...refuseEach(typing, notPermitted)];
  const families = [
    load(firstArgumentOffset),
    ...partedFamilies.flatMap((family) => [jump(family, 0, 1), give(allow)]),
    give(refuse(noSuchFamily)),
  ];
  return [
    load(numberOffset),
    // The calls of x32, under numbers of their own; nothing else has one as large.
    jumpFrom(x32, 0, 1),
    give(refuse(noSuchCall)),
    ...refuseEach(keys, noSuchCall),
    ...refuseEach(mayTrace ? kernel : [...others, ...kernel], notPermitted),
    jump(socket, 0, families.length),
    ...families,
    jump(ioctl, 0, terminal.length),
    ...terminal,
    give(allow),
  ];
}

/** Goes on behind itself where it is none of the values. */
function refuseEach(values: readonly number[], errno: number): Buffer[] {
  return values.flatMap((value) => [jump(value, 0, 1), give(refuse(errno))]);
}

const x32 = 0x40000000;
// TIOCSTI, TIOCLINUX.
const typing = [0x5412, 0x541c];
// AF_UNIX, AF_INET, AF_INET6, AF_NETLINK.
const partedFamilies = [1, 2, 10, 16];
const [notPermitted, noSuchCall, noSuchFamily] = [1, 38, 97];
// Of struct seccomp_data; of an argument its lower half.
const [numberOffset, architectureOffset, firstArgumentOffset, secondArgumentOffset] = [0, 4, 16, 24];
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

/** Skips so many instructions where the value is at least, and is less than, the one given. */
function jumpFrom(value: number, ifSo: number, ifNot: number): Buffer {
  return instruction(0x35, { value, ifSo, ifNot });
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
