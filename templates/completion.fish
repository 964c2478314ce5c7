# Completion of git flame in fish. It asks the program what may follow, so it never gets stale.
#
# git flame completion fish >~/.config/fish/conf.d/git-flame.fish

# The words behind `flame`, or behind `git-flame`; fails where the line is of another command of git.
function __git_flame_words
    set -l words (commandline -opc)
    set -l first $words[1]
    set -e words[1]
    if test (basename -- $first) != git-flame
        while set -q words[1]
            switch $words[1]
                case -C -c --git-dir --work-tree --namespace --exec-path --config-env
                    set -e words[1]
                case '-*'
                case flame
                    set -e words[1]
                    set -q words[1]; and printf '%s\n' $words
                    return 0
                case '*'
                    return 1
            end
            set -e words[1]
        end
        return 1
    end
    set -q words[1]; and printf '%s\n' $words
    return 0
end

# git's own options that say where: -C and --git-dir.
function __git_flame_where
    set -l words (commandline -opc)
    test (basename -- $words[1]) = git; or return 0
    set -e words[1]
    while set -q words[1]
        switch $words[1]
            case -C --git-dir
                printf '%s\n' $words[1] $words[2]
                set -e words[1]
            case '--git-dir=*'
                printf '%s\n' $words[1]
            case -c --work-tree --namespace --exec-path --config-env
                set -e words[1]
            case '-*'
            case '*'
                return 0
        end
        set -e words[1]
    end
end

function __git_flame_complete
    set -l words (__git_flame_words)
    or return 1
    set -l current (commandline -ct)
    set -l lines (git (__git_flame_where) flame __complete -- $words $current 2>/dev/null </dev/null)
    switch "$lines[1]"
        case ':files*'
            __fish_complete_path (string replace -r -- '^--[^=]*=' '' $current)
        case ':folders*'
            __fish_complete_directories (string replace -r -- '^--[^=]*=' '' $current)
        case '*'
            test -n "$lines[1]"; and printf '%s\n' $lines
    end
end

# Whether `git <TAB>` asks for git's command itself.
function __git_flame_is_wanted
    set -l words (commandline -opc)
    test (count $words) -eq 1
end

complete -c git-flame -f -a '(__git_flame_complete)'
complete -c git -f -n '__git_flame_words >/dev/null' -a '(__git_flame_complete)'
complete -c git -f -n __git_flame_is_wanted -a flame -d 'Lead coding agents from inside git'
