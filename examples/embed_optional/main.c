/* How a program uses Rondo where it is installed, and goes on without it where it isn't: it isn't
 * linked, but opened at run time; a table of the functions that are needed is filled, and the
 * library's ABI compared with the header that the program was compiled with.
 *
 *   embed_optional 4              four processes, by librondo.so.0 if there is one
 *   embed_optional 4 LIBRARY      by that file
 *
 * Without Rondo a vector is summed by process 0, over socket pairs. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "rondo/rondo.h"

enum { kCount = 20000, kMostProcesses = 64 };

/* ---- The optional backend -------------------------------------------------------------------- */

struct rondo_functions {
  uint32_t (*abi_version)(void);
  const rondo_error* (*last_error)(void);
  rondo_status (*make_unique_id)(const char*, rondo_unique_id*);
  rondo_status (*create_by_id)(const rondo_unique_id*, int, int, const rondo_config*,
                               rondo_communicator**);
  rondo_status (*all_reduce)(rondo_communicator*, const void*, void*, size_t, rondo_type, rondo_op);
  rondo_status (*destroy)(rondo_communicator*);
};

/* A pointer to a function out of one to data, as POSIX allows and C doesn't. */
static int find(void* library, const char* name, void* function) {
  void* symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
  return symbol != NULL;
}

/* 0 where there is no library that this program can use; says why. */
static int open_rondo(const char* path, struct rondo_functions* rondo) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "without Rondo: %s\n", dlerror());
    return 0;
  }
  if (!find(library, "rondo_abi_version", &rondo->abi_version) ||
      rondo->abi_version() != RONDO_ABI_VERSION) {
    fprintf(stderr, "without Rondo: %s isn't of ABI %d\n", path, RONDO_ABI_VERSION);
    return 0;
  }
  return find(library, "rondo_last_error", &rondo->last_error) &&
         find(library, "rondo_make_unique_id", &rondo->make_unique_id) &&
         find(library, "rondo_create_by_id", &rondo->create_by_id) &&
         find(library, "rondo_all_reduce", &rondo->all_reduce) &&
         find(library, "rondo_destroy", &rondo->destroy);
}

/* ---- The program's own way ------------------------------------------------------------------- */

static int transfer(int socket, void* data, size_t bytes, int sends) {
  char* at = data;
  while (bytes > 0) {
    const ssize_t moved = sends ? write(socket, at, bytes) : read(socket, at, bytes);
    if (moved <= 0) return 0;
    at += moved;
    bytes -= (size_t)moved;
  }
  return 1;
}

/* Process 0 has a socket to each of the others, the others one to it. */
struct processes {
  int number;
  int count;
  int sockets[kMostProcesses];
};

static int sum_at_process_0(const struct processes* all, double* data) {
  static double other[kCount];
  if (all->number != 0) {
    return transfer(all->sockets[0], data, sizeof other, 1) &&
           transfer(all->sockets[0], data, sizeof other, 0);
  }
  for (int i = 1; i < all->count; ++i) {
    if (!transfer(all->sockets[i], other, sizeof other, 0)) return 0;
    for (int k = 0; k < kCount; ++k) data[k] += other[k];
  }
  for (int i = 1; i < all->count; ++i) {
    if (!transfer(all->sockets[i], data, sizeof other, 1)) return 0;
  }
  return 1;
}

/* ---- The program ----------------------------------------------------------------------------- */

static int sum_by_rondo(const struct rondo_functions* rondo, const struct processes* all,
                        double* data) {
  rondo_unique_id id;
  rondo_communicator* world = NULL;
  int done = 1;
  if (all->number == 0) {
    done = rondo->make_unique_id("127.0.0.1", &id) == RONDO_OK;
    for (int i = 1; i < all->count; ++i) done &= transfer(all->sockets[i], &id, sizeof id, 1);
  } else {
    done = transfer(all->sockets[0], &id, sizeof id, 0);
  }
  done = done && rondo->create_by_id(&id, all->number, all->count, NULL, &world) == RONDO_OK &&
         rondo->all_reduce(world, data, data, kCount, RONDO_F64, RONDO_SUM) == RONDO_OK;
  if (!done) fprintf(stderr, "process %d: %s\n", all->number, rondo->last_error()->message);
  rondo->destroy(world);
  return done;
}

static double contribution(int process, int i) { return process * 0.75 + (double)(i % 128) / 8; }

static int run(const struct processes* all, const char* path) {
  static double data[kCount];
  struct rondo_functions rondo;
  const int has_rondo = open_rondo(path, &rondo);
  for (int i = 0; i < kCount; ++i) data[i] = contribution(all->number, i);
  if (!(has_rondo ? sum_by_rondo(&rondo, all, data) : sum_at_process_0(all, data))) return 1;
  for (int i = 0; i < kCount; ++i) {
    double right = 0;
    for (int process = 0; process < all->count; ++process) right += contribution(process, i);
    if (data[i] == right) continue;
    fprintf(stderr, "process %d: element %d is %g, expected %g\n", all->number, i, data[i], right);
    return 1;
  }
  if (all->number == 0)
    printf("%d processes summed %d numbers %s\n", all->count, kCount,
           has_rondo ? "by Rondo" : "by themselves");
  return 0;
}

int main(int argc, char** argv) {
  const char* path = argc > 2 ? argv[2] : "librondo.so.0";
  struct processes all = {0, argc > 1 ? atoi(argv[1]) : 0, {0}};
  pid_t children[kMostProcesses];
  int failed = 0;
  if (all.count < 1 || all.count > kMostProcesses) {
    fprintf(stderr, "usage: embed_optional PROCESSES [LIBRARY] (1 to %d)\n", kMostProcesses);
    return 2;
  }
  for (int i = 1; i < all.count; ++i) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0) return 1;
    children[i] = fork();
    if (children[i] == 0) {
      const struct processes own = {i, all.count, {pair[1]}};
      close(pair[0]);
      _exit(run(&own, path));
    }
    close(pair[1]);
    all.sockets[i] = pair[0];
  }
  failed = run(&all, path);
  for (int i = 1; i < all.count; ++i) close(all.sockets[i]);
  for (int i = 1; i < all.count; ++i) {
    int status = 0;
    waitpid(children[i], &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) failed = 1;
  }
  return failed;
}
