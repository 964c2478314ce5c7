import { test } from 'uvu';
import { testStories } from '../support/stories.ts';

testStories('sessions');
test.run();
