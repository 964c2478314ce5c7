// Starts programs for the tool, which is so large that each fork of its own takes longer than git does. Requests come
// on stdin, what the programs print and how they end goes to stdout as it comes:
//   ID WORDS VARIABLES INPUT BYTES CPU DATA\n
//                                      a request; then BYTES of texts that each end in NUL: the folder, the words, the
//                                      variables; then INPUT bytes for the program's stdin (-1: it has none). CPU
//                                      seconds and DATA bytes of memory are its limits (-1: none; it is not held then)
//   ID k SIGNAL\n                      a signal for what was started under that number, and all it started
//   ID o|e BYTES\n                     BYTES of its stdout or stderr follow
//   ID x STATUS\n, ID s SIGNAL\n       it ended; nothing more comes of it
//   ID f ERRNO\n                       it could not be started
// Says "ready\n" first. Ends with its stdin; what has limits is held: it ends with this process, however that ends. The rest
// is left alone.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { chunk = 1 << 16, longest_head = 100, waiting_ms = 2 };

struct run {
  unsigned long id;
  pid_t pid;
  int in, out, err; // -1 once closed
  char *input;
  size_t length, sent;
  bool is_held;
};

struct limits {
  long cpu, data;
};

static struct run *runs;
static size_t count, room;
static char *request;
static size_t filled, size;

static _Noreturn void leave(int status) {
  for (size_t at = 0; at < count; at += 1)
    if (runs[at].is_held) kill(-runs[at].pid, SIGKILL);
  _exit(status);
}

static _Noreturn void stop(const char *what) {
  perror(what);
  leave(1);
}

static void *grown(void *memory, size_t bytes) {
  void *larger = realloc(memory, bytes);
  if (larger == NULL) stop("git-starter");
  return larger;
}

static void put(const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t done = write(STDOUT_FILENO, bytes, length);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) leave(0);
    bytes += done;
    length -= (size_t)done;
  }
}

static void say(unsigned long id, char kind, unsigned long value) {
  char head[longest_head];
  put(head, (size_t)snprintf(head, sizeof head, "%lu %c %lu\n", id, kind, value));
}

static void shut(int *end) {
  if (*end >= 0) close(*end);
  *end = -1;
}

// Neither end may reach another program, whose end would then keep it open.
static bool open_pipe(int ends[2]) {
  if (pipe(ends) < 0) return false;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return true;
}

static rlim_t lower(rlim_t one, rlim_t other) {
  return one != RLIM_INFINITY && one < other ? one : other;
}

// One that is lower already stays. `spare`: by how much the hard limit is above the soft one.
static void bound(int resource, rlim_t most, rlim_t spare) {
  struct rlimit limit;
  if (getrlimit(resource, &limit) < 0) return;
  limit.rlim_cur = lower(limit.rlim_max, most);
  limit.rlim_max = lower(limit.rlim_max, most + spare);
  setrlimit(resource, &limit);
}

static void hold(const struct limits *limits, pid_t starter) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  // The starter may have ended before prctl asked for a signal at its end.
  if (getppid() != starter) _exit(127);
  // At the hard limit Linux kills without a reason: only SIGXCPU, at the soft one before it, shows why it ended.
  bound(RLIMIT_CPU, (rlim_t)limits->cpu, 1);
  // Memory by what a process writes: git maps packs that are larger.
  bound(RLIMIT_DATA, (rlim_t)limits->data, 0);
  bound(RLIMIT_CORE, 0, 0);
}

static _Noreturn void become(const char *folder, char **words, char **variables, const int ends[4]) {
  signal(SIGPIPE, SIG_DFL);
  if (chdir(folder) == 0 && dup2(ends[0], STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 &&
      dup2(ends[2], STDERR_FILENO) >= 0)
    execve(words[0], words, variables);
  int why = errno;
  if (write(ends[3], &why, sizeof why) < 0) _exit(126);
  _exit(127);
}

// Returns 0, or the errno that says why it did not start.
static int start(struct run *run, const char *folder, char **words, char **variables, const struct limits *limits,
                 bool has_input) {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, failed[2] = {-1, -1}, why = 0;
  bool made = has_input ? open_pipe(in) : (in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0;
  if (made && open_pipe(out) && open_pipe(err) && open_pipe(failed)) {
    pid_t starter = getpid();
    run->pid = fork();
    if (run->pid == 0) {
      // A session of its own: Ctrl-C at the terminal doesn't stop it in the middle of its work.
      setsid();
      if (run->is_held) hold(limits, starter);
      become(folder, words, variables, (int[]){in[0], out[1], err[1], failed[1]});
    }
    if (run->pid < 0) why = errno;
  } else {
    why = errno;
  }
  shut(&in[0]), shut(&out[1]), shut(&err[1]), shut(&failed[1]);
  if (why == 0) {
    ssize_t got;
    while ((got = read(failed[0], &why, sizeof why)) < 0 && errno == EINTR) continue;
    if (got <= 0) why = 0;
    if (why != 0) waitpid(run->pid, NULL, 0);
  }
  shut(&failed[0]);
  if (why != 0) shut(&in[1]), shut(&out[0]), shut(&err[0]);
  if (in[1] >= 0) fcntl(in[1], F_SETFL, O_NONBLOCK);
  run->in = in[1], run->out = out[0], run->err = err[0];
  return why;
}

// Points into the texts, which each end in NUL; returns where the next ones begin.
static char *point_at(char **list, size_t number, char *text) {
  for (size_t at = 0; at < number; at += 1) {
    list[at] = text;
    text += strlen(text) + 1;
  }
  list[number] = NULL;
  return text;
}

static void begin(unsigned long id, const size_t counts[2], char *texts, const char *input, long length,
                  const struct limits *limits) {
  char **words = grown(NULL, (counts[0] + counts[1] + 2) * sizeof *words), **variables = words + counts[0] + 1;
  point_at(variables, counts[1], point_at(words, counts[0], texts + strlen(texts) + 1));
  struct run run = {.id = id, .is_held = limits->cpu >= 0};
  int why = start(&run, texts, words, variables, limits, length >= 0);
  free(words);
  if (why != 0) {
    say(id, 'f', (unsigned long)why);
    return;
  }
  if (length == 0) shut(&run.in);
  if (length > 0) {
    run.length = (size_t)length;
    run.input = memcpy(grown(NULL, run.length), input, run.length);
  }
  if (count == room) runs = grown(runs, (room = room * 2 + 8) * sizeof *runs);
  runs[count++] = run;
}

// A run that has ended is out of the list: the signal never reaches a process that got its number since.
static void pass_signal(unsigned long id, int signal) {
  for (size_t at = 0; at < count; at += 1)
    if (runs[at].id == id) kill(-runs[at].pid, signal);
}

// Starts what is asked for in full; the rest waits for more to come.
static void read_requests(void) {
  if (size - filled < chunk) request = grown(request, size = size * 2 + chunk);
  ssize_t got = read(STDIN_FILENO, request + filled, size - filled);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) leave(0);
  filled += (size_t)got;
  size_t done = 0;
  for (;;) {
    char *head = request + done, *end = memchr(head, '\n', filled - done);
    if (end == NULL) break;
    unsigned long id;
    size_t counts[2], bytes;
    long length;
    struct limits limits;
    int name;
    *end = '\0';
    if (sscanf(head, "%lu k %d", &id, &name) == 2) {
      pass_signal(id, name);
      done = (size_t)(end + 1 - request);
      continue;
    }
    if (sscanf(head, "%lu %zu %zu %ld %zu %ld %ld", &id, &counts[0], &counts[1], &length, &bytes, &limits.cpu,
               &limits.data) != 7)
      leave(1);
    *end = '\n';
    size_t whole = (size_t)(end + 1 - head) + bytes + (length > 0 ? (size_t)length : 0);
    if (filled - done < whole) break;
    begin(id, counts, end + 1, end + 1 + bytes, length, &limits);
    done += whole;
  }
  memmove(request, request + done, filled -= done);
}

static void feed(struct run *run) {
  ssize_t done = write(run->in, run->input + run->sent, run->length - run->sent);
  if (done < 0 && (errno == EAGAIN || errno == EINTR)) return;
  // It may end before it has read everything: how it ends decides.
  if (done < 0) run->sent = run->length;
  else run->sent += (size_t)done;
  if (run->sent < run->length) return;
  shut(&run->in);
  free(run->input);
  run->input = NULL;
}

static void pass_on(const struct run *run, int *end, char kind) {
  static char bytes[chunk];
  ssize_t got = read(*end, bytes, sizeof bytes);
  if (got < 0 && errno == EINTR) return;
  if (got <= 0) {
    shut(end);
    return;
  }
  say(run->id, kind, (unsigned long)got);
  put(bytes, (size_t)got);
}

// Whether it has closed its outputs and ended; reports its end then.
static bool is_over(struct run *run) {
  int status;
  pid_t ended = waitpid(run->pid, &status, WNOHANG);
  if (ended == 0 || (ended < 0 && errno == EINTR)) return false;
  shut(&run->in);
  free(run->input);
  if (WIFSIGNALED(status)) say(run->id, 's', (unsigned long)WTERMSIG(status));
  else say(run->id, 'x', (unsigned long)WEXITSTATUS(status));
  return true;
}

// Reports each end; true while some run has closed its outputs and not ended.
static bool settle(void) {
  bool is_waiting = false;
  for (size_t at = count; at-- > 0;) {
    if (runs[at].out >= 0 || runs[at].err >= 0) continue;
    if (is_over(&runs[at])) runs[at] = runs[--count];
    else is_waiting = true;
  }
  return is_waiting;
}

int main(void) {
  signal(SIGPIPE, SIG_IGN);
  put("ready\n", 6);
  struct pollfd *ends = NULL;
  for (;;) {
    bool is_waiting = settle();
    ends = grown(ends, (1 + 3 * count) * sizeof *ends);
    ends[0] = (struct pollfd){.fd = STDIN_FILENO, .events = POLLIN};
    for (size_t at = 0; at < count; at += 1) {
      ends[1 + 3 * at] = (struct pollfd){.fd = runs[at].in, .events = POLLOUT};
      ends[2 + 3 * at] = (struct pollfd){.fd = runs[at].out, .events = POLLIN};
      ends[3 + 3 * at] = (struct pollfd){.fd = runs[at].err, .events = POLLIN};
    }
    size_t known = count;
    if (poll(ends, 1 + 3 * known, is_waiting ? waiting_ms : -1) < 0) {
      if (errno == EINTR) continue;
      stop("git-starter");
    }
    for (size_t at = 0; at < known; at += 1) {
      if (ends[1 + 3 * at].revents != 0) feed(&runs[at]);
      if (ends[2 + 3 * at].revents != 0) pass_on(&runs[at], &runs[at].out, 'o');
      if (ends[3 + 3 * at].revents != 0) pass_on(&runs[at], &runs[at].err, 'e');
    }
    if (ends[0].revents != 0) read_requests();
  }
}
