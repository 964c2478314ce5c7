# Completion of git flame in bash. It asks the program what may follow, so it never gets stale.
#
# In ~/.bashrc:     source <(git flame completion bash)
# or for everybody: git flame completion bash >/usr/share/bash-completion/completions/git-flame

# Replies for the words given, the last of which is being typed.
__git_flame_reply () {
  local current word about
  if [ $# -gt 0 ]; then current="${!#}"; else current=; fi
  # readline replaces only what stands behind the last "=".
  local before=
  case "$current" in --*=*) case "$COMP_WORDBREAKS" in *=*) before="${current%%=*}=" ;; esac ;; esac
  COMPREPLY=()
  while IFS=$'\t' read -r word about; do
    case "$word" in
    :files) compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "${current#"$before"}") ;;
    :folders) compopt -o filenames 2>/dev/null
      while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -d -- "${current#"$before"}") ;;
    *) printf -v word '%q' "$word"
      COMPREPLY+=("${word#"$before"}$__git_flame_after") ;;
    esac
  done < <(git "${__git_flame_where[@]}" flame __complete -- "$@" 2>/dev/null </dev/null)
}

# Joins what readline took apart at "=" and ":", up to the cursor, into __git_flame_words.
__git_flame_split () {
  local index word glued=
  __git_flame_words=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word="${COMP_WORDS[index]}"
    if [ "$index" -gt 1 ] && { [ "$glued" ] || [[ $word == [=:]* ]]; }; then
      __git_flame_words[${#__git_flame_words[@]} - 1]+="$word"
    else
      __git_flame_words+=("$word")
    fi
    glued=; [[ $word == [=:] ]] && glued=1
  done
}

# git-flame <TAB>
__git_flame_main () {
  local __git_flame_words __git_flame_where=() __git_flame_after=
  __git_flame_split
  __git_flame_reply "${__git_flame_words[@]:1}"
}

# git flame <TAB>: git's own completion calls this, also for an alias of flame.
_git_flame () {
  local __git_flame_words __git_flame_where=() __git_flame_after= index start=${__git_cmd_idx:-}
  # git's completion puts the space behind a word itself; an old bash cannot be told otherwise.
  compopt +o nospace 2>/dev/null || __git_flame_after=' '
  __git_flame_split
  if [ -z "$start" ]; then
    for ((index = 1; index < ${#__git_flame_words[@]}; index++)); do
      [ "${__git_flame_words[index]}" = flame ] && start=$index && break
    done
  fi
  [ "${#__git_C_args[@]}" -gt 0 ] && __git_flame_where+=("${__git_C_args[@]}")
  [ "${__git_dir:-}" ] && __git_flame_where+=("--git-dir=$__git_dir")
  __git_flame_reply "${__git_flame_words[@]:start + 1}"
}

complete -o bashdefault -o default -F __git_flame_main git-flame
