import { openRepo } from '../../support/repo.ts';
import { sampleSessionId } from '../sample.ts';
import { claim, openMachine } from './machine.ts';

// A machine of its own process, to be killed in the middle: node claim-victim.js CLONE TASK AGENT.

const [, , clone = '', task = '', agent = ''] = process.argv;
const machine = await openMachine(openRepo(clone), 'host/a');
machine.remoteSession.enter(sampleSessionId, { leaseMs: 60_000, renewMs: 10_000 });
await machine.remoteSession.exchangeNow();
const isWon = await claim(machine, task, agent);
await machine.remoteSession.leave(false);
await machine.close();
process.stdout.write(isWon ? 'won' : 'lost');
