import * as z from 'zod';
import { defaultHiddenPaths } from './cell-paths.ts';
import { commandSchema, durationSchema, globSchema, regexSchema } from './config-values.ts';

// Rules for agents and their results: the sections permissions and validation of `.blueflame.yml`.

/** Commands that change files more than an edit does; read-only ones are allowed anyway. */
export const defaultCommands = ['rm', 'chmod', 'git mv', 'git rm', 'git restore'];
export const namingStyles = ['snake_case', 'kebab-case', 'camelCase', 'PascalCase'] as const;

// Names whose values are data to every program that reads them: none of them names a program, a file or an option.
const defaultEnv = [
  'CI',
  'NODE_ENV',
  'FORCE_COLOR',
  'NO_COLOR',
  'CLICOLOR',
  'CLICOLOR_FORCE',
  'TERM',
  'COLUMNS',
  'LINES',
  'TZ',
  'LANG',
  'LC_ALL',
  'DEBUG',
  'PORT',
  'VERBOSE',
  'LOG_LEVEL',
  'RUST_BACKTRACE',
  'RUST_LOG',
  'RUST_TEST_THREADS',
  'CARGO_TERM_COLOR',
  'CGO_ENABLED',
  'GOOS',
  'GOARCH',
  'GOMAXPROCS',
  'PYTHONPATH',
  'PYTHONUNBUFFERED',
  'PYTHONDONTWRITEBYTECODE',
  'PYTHONIOENCODING',
  'PYTHONHASHSEED',
  'PY_COLORS',
  'UPDATE_SNAPSHOTS',
  'GIT_PAGER',
  'PAGER',
  'MIX_ENV',
  'RAILS_ENV',
  'RACK_ENV',
  'APP_ENV',
  'ASPNETCORE_ENVIRONMENT',
  'DJANGO_ENV',
  'FLASK_ENV',
];

const bashRulesSchema = z
  .strictObject({
    allowed_commands: z
      .array(commandSchema)
      .default(defaultCommands)
      .describe('Commands an agent may run besides those that only look, by their first words.'),
    blocked_patterns: z
      .array(regexSchema)
      .default([])
      .describe('Regular expressions that block a command whatever allows it.')
      .meta({ examples: [['rm\\s+-rf', 'npm\\s+install']] }),
    allowed_env: z
      .array(z.string().regex(/^[A-Za-z_]\w*$/, 'is not the name of a variable'))
      .default(defaultEnv)
      .describe('Variables a command may set for itself.'),
  })
  .describe('What agents may run in a shell.');

export const permissionsSchema = z
  .strictObject({
    allowed_paths: z
      .array(globSchema)
      .default(['**'])
      .describe(
        'Globs of the files agents may change. Brackets are part of a name (app/[slug]/**), but for ranges: [a-z].',
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
        'Globs of the files they may not see either: cells show them empty to every program, setup and diagnostics included but for what project.copy names in full. Git’s history shows what is committed. null: what blocked_paths names, as in files of version 1.',
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
      .describe('Shown to the author of a message that breaks it.')
      .meta({ examples: ['feat(task-001): add the login form'] }),
    apply_to: z
      .enum(['tasks', 'all'])
      .default('tasks')
      .describe('tasks: commits of tasks. all: every commit of this repository, by its git hooks.'),
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
    timeout: durationSchema('timer').prefault('2m').describe('Of each command.'),
  })
  .describe('What proves that a task works.');

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
          .describe('New files it holds for.')
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
          .describe('Globs of sources.')
          .meta({ examples: [['src/**']] }),
        test_patterns: z
          .array(globSchema)
          .default([])
          .describe('Globs of tests.')
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
        'A worker whose CLI can be held at its end is told there, once, what the checks would refuse, and may go on.',
      ),
  })
  .describe('Rules for the results.');
