import { test } from 'uvu';
import { typeAttacks } from './type-attacks.ts';

typeAttacks(/^agents/);
test.run();
