import { test } from 'uvu';
import { typeAttacks } from './type-attacks.ts';

typeAttacks(/^(?:bash|unlisted|refused)/);
test.run();
