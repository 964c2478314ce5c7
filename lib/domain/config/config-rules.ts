import * as z from 'zod';
import { listWords } from '../../util/sort-and-group.ts';
import { defaultHiddenPaths } from './hidden-paths.ts';
import { commandSchema, durationSchema, globSchema, regexSchema } from './value-schemas.ts';

// Rules for agents and their results: the sections permissions and validation of `.blueflame.yml`.

/** Commands that change files more than an edit does; read-only ones are allowed anyway. */
export const defaultAllowedCommands = ['rm', 'chmod', 'git mv', 'git rm', 'git restore'];
export const namingStyles = ['snake_case', 'kebab-case', 'camelCase', 'PascalCase'] as const;

// Names whose values are data to every program that reads them: none of them names a program, a file or an option.
const defaultEnv = listWords(`
  CI NODE_ENV FORCE_COLOR NO_COLOR CLICOLOR CLICOLOR_FORCE TERM COLUMNS LINES TZ LANG LC_ALL DEBUG PORT VERBOSE
  LOG_LEVEL RUST_BACKTRACE RUST_LOG RUST_TEST_THREADS CARGO_TERM_COLOR CGO_ENABLED GOOS GOARCH GOMAXPROCS
  PYTHONPATH PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONHASHSEED PY_COLORS UPDATE_SNAPSHOTS
  GIT_PAGER PAGER MIX_ENV RAILS_ENV RACK_ENV APP_ENV ASPNETCORE_ENVIRONMENT DJANGO_ENV FLASK_ENV`);

const bashRulesSchema = z
  .strictObject({
    allowed_commands: z
      .array(commandSchema)
      .default(defaultAllowedCommands)
      .describe('First words of commands that agents may run, in addition to commands that only read.'),
    blocked_patterns: z
      .array(regexSchema)
      .default([])
      .describe('Regular expressions that block a command, even if another rule allows it.')
      .meta({ examples: [['rm\\s+-rf', 'npm\\s+install']] }),
    allowed_env: z
      .array(z.string().regex(/^[A-Za-z_]\w*$/, 'is not the name of a variable'))
      .default([...defaultEnv])
      .describe('Variables that a command may set.'),
  })
  .describe('What agents may run in a shell.');

export const permissionsSchema = z
  .strictObject({
    allowed_paths: z
      .array(globSchema)
      .default(['**'])
      .describe(
        'Globs of the files agents may change. Brackets are part of a name (app/[slug]/**), except for ranges: [a-z].',
      ),
    blocked_paths: z
      .array(globSchema)
      .default([])
      .describe('Globs of the files they may read and never change; they win over allowed_paths.')
      .meta({ examples: [['go.mod', 'package-lock.json', 'migrations/**']] }),
    hidden_paths: z
      .array(globSchema)
      .nullable()
      .default(defaultHiddenPaths)
      .describe(
        'Globs of the files they may not see either: cells show them empty to every program. Setup and diagnostics see those that project.copy names in full. Git’s history still shows what is committed. null: the same as blocked_paths, as in version 1.',
      ),
    allowed_tools: z
      .array(z.string().min(1))
      .default(['Read', 'Write', 'Edit', 'Glob', 'Grep', 'Bash'])
      .describe('Tools agents may call.'),
    blocked_tools: z
      .array(z.string().min(1))
      .default(['WebFetch', 'WebSearch', 'NotebookEdit', 'Task', 'Agent'])
      .describe('Tools they may never call.'),
    bash_rules: bashRulesSchema.prefault({}),
  })
  .describe('What agents may do.');

const commitFormatSchema = z
  .strictObject({
    pattern: regexSchema
      .default('')
      .describe('Regular expression for the first line of a message. Empty: any.')
      .meta({ examples: ['^(feat|fix|test|docs)\\(task-\\d+\\): .+'] }),
    example: z
      .string()
      .default('')
      .describe('Example shown with a message that does not match.')
      .meta({ examples: ['feat(task-001): add the login form'] }),
    apply_to: z
      .enum(['tasks', 'all'])
      .default('tasks')
      .describe('tasks: applies to commits of tasks. all: to every commit of this repository, by its git hooks.'),
  })
  .describe('Commit messages.');

const diagnosticsSchema = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Run them, and let validators run them.'),
    commands: z
      .array(commandSchema)
      .default([])
      .describe('Commands whose failure fails a task: tests, linters.')
      .meta({ examples: [['npm test', 'npm run lint']] }),
    timeout: durationSchema('timer').prefault('2m').describe('Time limit of each command.'),
  })
  .describe('Commands that check that a task works.');

export const validationSchema = z
  .strictObject({
    commit_format: commitFormatSchema.prefault({}),
    file_naming: z
      .strictObject({
        style: z
          .enum(namingStyles)
          .nullable()
          .default(null)
          .describe('snake_case, kebab-case, camelCase or PascalCase. null: any.'),
        enforce_for: z
          .array(globSchema)
          .default([])
          .describe('Globs of the new files it applies to.')
          .meta({ examples: [['src/**/*.ts']] }),
      })
      .describe('Names of new files.')
      .prefault({}),
    require_tests: z
      .strictObject({
        enabled: z.boolean().default(false).describe('A task that changes sources must change tests too.'),
        source_patterns: z
          .array(globSchema)
          .default([])
          .describe('Globs of source files.')
          .meta({ examples: [['src/**']] }),
        test_patterns: z
          .array(globSchema)
          .default([])
          .describe('Globs of test files.')
          .meta({ examples: [['test/**']] }),
      })
      .describe('Tests with every change.')
      .prefault({}),
    file_scope: z
      .strictObject({ enforce: z.boolean().default(true).describe('Block changes outside file_locks.') })
      .describe('The files a task declared.')
      .prefault({}),
    validator_diagnostics: diagnosticsSchema.prefault({}),
    last_word: z
      .boolean()
      .default(true)
      .describe(
        'Before it ends, a worker receives once what the checks would refuse, and may continue. Needs a CLI that can be held at its end.',
      ),
  })
  .describe('Rules for the work.');
