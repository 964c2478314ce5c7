// Biome judges everything but this: what needs the types of libraries too.
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['**/client/**'] },
  {
    files: ['lib/**/*.ts', 'test/**/*.ts'],
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    plugins: { '@typescript-eslint': tseslint.plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
    },
  },
);
