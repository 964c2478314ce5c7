#compdef git-flame
#description lead coding agents from inside git
# Completion of git flame in zsh. It asks the program what may follow, so it never gets stale.
#
# In ~/.zshrc, after compinit:  source <(git flame completion zsh)
# or in a folder of $fpath:     git flame completion zsh >~/.zsh/completions/_git-flame

# Called for `git-flame`, and by zsh's own completion of git for `git flame`.
_git-flame () {
  local line word about
  local -a names abouts shown where
  local -i wide=0 index
  [[ -n ${opt_args[-C]-} ]] && where=(-C ${(Q)opt_args[-C]})
  [[ -n ${opt_args[--git-dir]-} ]] && where+=(--git-dir=${(Q)opt_args[--git-dir]})
  for line in "${(@f)$(git $where flame __complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null </dev/null)}"; do
    word=${line%%$'\t'*}
    about=${line#*$'\t'}
    case $word in
      '') ;;
      :files) compset -P '--[^=]#='; _files && return 0 ;;
      :folders) compset -P '--[^=]#='; _files -/ && return 0 ;;
      *) names+=($word); abouts+=("$about"); (( $#word > wide )) && wide=$#word ;;
    esac
  done
  (( $#names )) || return 1
  for (( index = 1; index <= $#names; index++ )); do
    shown+=("${(r:wide:)names[index]}${abouts[index]:+  -- $abouts[index]}")
  done
  compadd -l -d shown -a names
}

zstyle ':completion:*:*:git:*' user-commands flame:'lead coding agents from inside git'
if [[ ${funcstack[1]-} == _git-flame ]]; then
  _git-flame "$@"
else
  compdef _git-flame git-flame
fi
