// The hook command inside a cell, as a native program: it starts in the time that a shell needs for `true`. Exit 0
// lets the tool call or commit go on, exit 2 blocks it with the reason on stderr for the agent; every error ends in 2.
//   watcher SOCKET [--canary | --hook NAME]
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { blocked = 2, longest_head = 64, largest_call = 1 << 24, largest_answer = 1 << 20 };

// The head of a request ends where the call begins, so that both are sent as one. Untouched pages cost nothing.
static char request[longest_head + largest_call + 1];
static char answer[largest_answer + 1];

static _Noreturn void refuse(const char *why, const char *rule) {
  // Where no process reads its output, the alarm kills it, which its shell turns into a 2.
  signal(SIGALRM, SIG_DFL);
  alarm(2);
  dprintf(STDERR_FILENO, "%s [%s]\n", why, rule);
  _exit(blocked);
}

static _Noreturn void unanswered(const char *why) {
  char text[256];
  snprintf(text, sizeof text, "The orchestrator did not answer (%s); stop working.", why);
  refuse(text, "watcher-failed");
}

// Only what a signal's handler may call.
static void took_too_long(int signal_number) {
  static const char text[] = "The watcher took too long. [watcher-failed]\n";
  (void)signal_number;
  signal(SIGALRM, SIG_DFL);
  alarm(2);
  if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(blocked);
  _exit(blocked);
}

/** Reads to the end of what the hook is given; returns its length in bytes. */
static size_t read_call(char *call) {
  size_t length = 0;
  for (;;) {
    ssize_t got = read(STDIN_FILENO, call + length, largest_call + 1 - length);
    if (got < 0) unanswered(strerror(errno));
    if (got == 0) return length;
    length += (size_t)got;
    if (length > largest_call)
      refuse("The call is larger than 16 MB; write smaller files.", "call-too-large");
  }
}

static int connect_to(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path) unanswered("its socket's path is too long");
  strcpy(address.sun_path, path);
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  if (server < 0 || connect(server, (struct sockaddr *)&address, sizeof address) < 0)
    unanswered(strerror(errno));
  return server;
}

static void send_all(int server, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t sent = write(server, bytes, length);
    if (sent < 0) unanswered(strerror(errno));
    bytes += sent;
    length -= (size_t)sent;
  }
}

/** Prints what stands behind the head `print LENGTH`, where it is whole. */
static _Noreturn void print(const char *text, size_t length, const char *wanted) {
  if (strtoul(wanted, NULL, 10) != length) unanswered("its answer is not whole");
  while (length > 0) {
    ssize_t written = write(STDOUT_FILENO, text, length);
    if (written < 0) unanswered(strerror(errno));
    text += written;
    length -= (size_t)written;
  }
  _exit(0);
}

/** Reads lines `wait` as long as there are some, then `allow`; `print` and what to print; or `block`, the rule and the details in a line each. */
static _Noreturn void obey(int server) {
  size_t length = 0;
  while (length < largest_answer) {
    ssize_t got = read(server, answer + length, largest_answer - length);
    if (got < 0) unanswered(strerror(errno));
    if (got == 0) break;
    length += (size_t)got;
    // A person is asked, and the server is there: it repeats that sign.
    while (length >= 5 && memcmp(answer, "wait\n", 5) == 0) {
      alarm(5);
      length -= 5;
      memmove(answer, answer + 5, length);
    }
    answer[length] = '\0';
    if (length == 6 && memcmp(answer, "allow\n", 6) == 0) _exit(0);
  }
  char *head_end = strncmp(answer, "print ", 6) == 0 ? memchr(answer, '\n', length) : NULL;
  if (head_end != NULL)
    print(head_end + 1, length - (size_t)(head_end + 1 - answer), answer + 6);
  char *rule = strncmp(answer, "block\n", 6) == 0 ? answer + 6 : NULL;
  char *details = rule == NULL ? NULL : strchr(rule, '\n');
  if (details == NULL) unanswered("its answer cannot be read");
  *details = '\0';
  refuse(details + 1, rule);
}

int main(int count, char **words) {
  signal(SIGALRM, took_too_long);
  signal(SIGPIPE, SIG_IGN);
  alarm(5);
  if (count < 2) unanswered("no socket was named");
  const char *flag = count > 2 ? words[2] : "";
  const char *hook = count > 3 ? words[3] : "";
  char *call = request + longest_head;
  size_t length = strcmp(flag, "--canary") == 0 ? 0 : read_call(call);
  // As it came, its length before it: nothing in it can be taken for a part of the request.
  char head[longest_head];
  int head_length = snprintf(head, sizeof head, "%s %s %zu\n", flag, hook, length);
  if (head_length < 0 || head_length >= longest_head) unanswered("its hook's name is too long");
  char *begin = call - head_length;
  memcpy(begin, head, (size_t)head_length);
  int server = connect_to(words[1]);
  send_all(server, begin, (size_t)head_length + length);
  obey(server);
}
