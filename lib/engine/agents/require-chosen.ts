import { roleAdapter, roleChoice } from '../../domain/config/role-settings.ts';
import type { Role } from '../../domain/role.ts';
import type { Task } from '../../domain/state/task.ts';
import type { Workshop } from '../workshop.ts';
import { requireSandbox } from './prove-enforcement.ts';
import { requirePrices } from './require-price.ts';

/**
 * Checks the adapters that tasks chose, before one of them is claimed: a role's own adapter was checked when the
 * command began. Throws what `checkAdapter`, `requireSandbox` and `requirePrices` throw.
 */
export async function requireChosen(workshop: Workshop, role: Role, tasks: readonly Task[]): Promise<void> {
  requirePrices(
    workshop,
    role,
    tasks.map((task) => roleChoice(workshop.config, role, task)),
  );
  const usual = roleAdapter(workshop.config, role);
  const chosen = new Set(tasks.map((task) => roleAdapter(workshop.config, role, task)));
  for (const name of chosen) {
    if (name === 'none') continue;
    if (name !== usual) await workshop.agents.checkAdapter(name);
    await requireSandbox(workshop, name);
  }
}
