// The policy by itself, in a bundle of its own: the watcher that asks the server needn't load it.
export { judgeCallByPolicyFile as judgeAlone } from '../watcher/judge-by-policy-file.ts';
