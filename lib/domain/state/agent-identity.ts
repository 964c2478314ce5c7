const domain = '@agents.invalid';

/**
 * The author of an agent's commits: an address that belongs to no person, so they are never taken for a
 * person's.
 */
export function agentAuthor(agent: string): { readonly name: string; readonly email: string } {
  return { name: agent, email: `${agent}${domain}` };
}

/** Whether an address is one that agents commit by, which their commits are held to. */
export function isAgentAddress(email: string): boolean {
  return email.endsWith(domain);
}

/** An agent's identity as git writes it: `Name <email>`. */
export function agentIdentity(agent: string): string {
  const { name, email } = agentAuthor(agent);
  return `${name} <${email}>`;
}
