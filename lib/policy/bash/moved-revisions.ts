import type { BashNode, SimpleCommand } from './syntax.ts';

const movers =
  /^(?:checkout|switch|reset|merge|rebase|cherry-pick|revert|fetch|pull|am|bisect|stash|update-ref|symbolic-ref|replace|notes|tag|branch|worktree)$/;
const onlyLooks = /^(?:list|show|--show-current|--contains|-[alrv]+|--list|--all)$/;

/** Whether a command line may change what HEAD and other names stand for: what git says before is not what it shows then. */
export function mayMoveRevisions(node: BashNode): boolean {
  switch (node.kind) {
    case 'command':
      return movesRevisions(node) || node.inner.some(mayMoveRevisions);
    case 'test':
      return node.inner.some(mayMoveRevisions);
    case 'number':
      return node.runs.some(mayMoveRevisions);
    case 'names':
      return false;
    case 'if':
      return node.parts.some(mayMoveRevisions);
    case 'for':
      return [...node.given, ...node.bodies].some(mayMoveRevisions);
    case 'while':
      return mayMoveRevisions(node.body) || (node.from !== null && mayMoveRevisions(node.from));
    case 'subshell':
    case 'group':
      return mayMoveRevisions(node.body);
    default:
      return node.nodes.some(mayMoveRevisions);
  }
}

function movesRevisions({ words }: SimpleCommand): boolean {
  const texts = words.map(({ text }) => text);
  const at = texts.indexOf('git');
  const rest = at < 0 ? [] : texts.slice(at + 1).filter((text) => !/^(?:-P|--no-[a-z-]+)$/.test(text));
  const [subcommand = '', first = '', ...others] = rest;
  if (!movers.test(subcommand) || onlyLooks.test(first)) return false;
  const hasOperand = rest.length > 1;
  return subcommand === 'checkout'
    ? first !== '--' && !others.includes('--')
    : hasOperand || !/^(?:tag|branch)$/.test(subcommand);
}
