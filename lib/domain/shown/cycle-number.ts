/** The cycle a person is in, from 1: one that is planned begins with its plan, which the session counts once it is approved. */
export function cycleNumber({ wave, cycle }: { readonly wave: string; readonly cycle: number }): number {
  return wave === 'plan' ? cycle + 1 : cycle;
}
