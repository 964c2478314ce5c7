#!/usr/bin/env bash
# A watcher as one would write it with jq, to compare with: path below the worktree, not blocked, inside the
# allowed globs; command allowed; one audit line a call. Exit 0 allows, 2 blocks.
set -u
worktree=$1 audit=$2
block() { record block "$1"; echo "$1" >&2; exit 2; }
record() {
  jq -nc --arg tool "$tool" --arg decision "$1" --arg rule "$2" \
    '{at: now | todate, tool: $tool, decision: $decision, rule: $rule}' >>"$audit"
}
{ read -r tool; read -r path; read -r command; } < <(
  jq -r '.tool_name, (.tool_input.file_path // ""), (.tool_input.command // "" | gsub("\n"; " "))'
)
case $tool in
  Read | Glob | Grep | Edit | Write | Bash) ;;
  *) block "tool $tool" ;;
esac
if [[ -n $path ]]; then
  path=$(realpath -m -- "$path")
  [[ $path == "$worktree"/* ]] || block "outside the worktree"
  case ${path#"$worktree"/} in
    .git/* | .env* | *.pem) block "blocked path" ;;
    src/* | test/*) ;;
    *) block "not an allowed path" ;;
  esac
fi
if [[ -n $command ]]; then
  [[ $command =~ [\;\|\&\<\>\`\$] ]] && block "shell operators"
  case $command in
    'npm test' | 'git status'* | 'git diff'* | 'git add '*) ;;
    *) block "not an allowed command" ;;
  esac
fi
record allow ok
