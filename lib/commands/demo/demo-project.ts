/** The throw-away project of `git flame demo`. */
export const demoFiles: Readonly<Record<string, string>> = {
  'README.md': '# greeter\n\nSays hello.\n',
  'greet.sh': '#!/bin/sh\nfor file in words/*; do cat "$file"; done\n',
  'check.sh':
    '#!/bin/sh\n# Every word file holds exactly one line.\nfor file in words/*; do [ "$(wc -l <"$file")" -eq 1 ] || exit 1; done\n',
};

export const demoConfig = `schema_version: 2
project: { name: greeter, base_branch: main }
# Each task's description is a shell script: no model, no account, no cost.
roles: { worker: { adapter: exec } }
validation:
  validator_diagnostics: { commands: ['test ! -d words || sh check.sh'] }
`;

export const demoPlan = `tasks:
  - id: task-001
    title: Greet in English
    cohesion_group: words
    priority: 1
    file_locks: [words/en.txt]
    description: |
      mkdir -p words
      echo 'Hello!' > words/en.txt
  - id: task-002
    title: Greet in French
    cohesion_group: words
    priority: 1
    file_locks: [words/fr.txt]
    description: |
      mkdir -p words
      echo 'Bonjour !' > words/fr.txt
  - id: task-003
    title: Say in the README which languages there are
    cohesion_group: docs
    priority: 2
    dependencies: [task-001, task-002]
    file_locks: [README.md]
    description: |
      echo >> README.md
      echo "Languages: $(ls words | sed 's/[.]txt//' | tr '\\n' ' ')" >> README.md
`;

export const demoDecisions = `plan: [approve]
changesets: [approve, approve]
`;
