const kinds: readonly (readonly [why: string, instead: string, names: string])[] = [
  [
    'runs another program where no rule sees it',
    'Run that program itself.',
    'sudo doas su runuser pkexec gosu chroot unshare nsenter bwrap firejail fakeroot proot setpriv capsh systemd-run nohup setsid daemonize start-stop-daemon disown at batch crontab parallel entr watch watchexec nodemon chokidar script expect unbuffer screen tmux byobu dtach abduco reptyr strace ltrace gdb lldb rr perf valgrind bpftrace dtruss flock lckdo run-parts run-one busybox xdg-open open osascript dbus-run-session dbus-send gdbus systemctl service initctl launchctl m4 dc ld.so ldd catchsegv xvfb-run direnv mise asdf nix nix-shell guix vagrant',
  ],
  [
    'talks to a daemon or to another machine',
    'There is no network in the cell; work with what the worktree holds.',
    'docker podman nerdctl buildah kubectl helm oc minikube kind terraform tofu pulumi ansible ansible-playbook ssh scp sftp ssh-keygen ssh-agent ssh-add ftp lftp telnet nc ncat netcat socat curl wget aria2c http https httpie rclone mosh openssl gpg gpg2 dig nslookup ping psql mysql mysqldump mariadb mongo mongosh redis-cli aws gcloud az gh glab heroku vercel netlify flyctl fly doctl ngrok',
  ],
  [
    'waits for keys, and can start programs',
    'Use the Edit tool.',
    'vim man info mc ranger fzf ghci iex irb pry jshell ipython ptpython bpython utop gore evcxr sqlplus isql',
  ],
  [
    'fetches and runs packages that were not chosen',
    'Use what the project has installed.',
    'uvx pipx pip conda mamba gem easy_install corepack npx-cli bunx-cli pnpx-cli brew apt apt-get dpkg yum dnf apk pacman snap flatpak',
  ],
  [
    'changes devices or whole disks',
    'Do without it.',
    'dd mkfs mount umount losetup mknod mkfifo fdisk parted shred wipe',
  ],
];
const refused: ReadonlyMap<string, readonly [string, string]> = new Map(
  kinds.flatMap(([why, instead, names]) =>
    names.split(' ').map((name) => [name, [why, instead] as const] as const),
  ),
);

/** The reason why no list of the lead's lets a program run, with any options; null: one may. */
export function refusalOf(name: string): string | null {
  const found = refused.get(name);
  return found === undefined ? null : `${name} ${found[0]}. ${found[1]}`;
}
