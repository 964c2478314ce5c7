/** Events of a session that several machines share. */
export type MachineEvent =
  /** Several machines: the claim of one that is given up is free again. */
  | {
      readonly event: 'claim-passed-on';
      readonly task: string;
      readonly agent: string | null;
      readonly machine: string;
      readonly message: string;
    }
  /** An attempt ended whose claim had been given up: it changed nothing, what it made is kept. */
  | {
      readonly event: 'result-superseded';
      readonly task: string;
      readonly agent: string;
      readonly message: string;
      readonly details: readonly string[];
    }
  /** The remote that machines share a session through can't be reached, or can again. */
  | { readonly event: 'remote-lost' | 'remote-back'; readonly remote: string; readonly message: string };
