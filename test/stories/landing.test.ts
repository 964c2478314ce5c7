import { test } from 'uvu';
import { testStories } from '../support/stories.ts';

testStories('landing');
test.run();
