import { test } from 'uvu';
import { testStories } from '../support/stories.ts';

testStories('work');
test.run();
