#pragma once

/* Processes of a program that starts them itself, and an all-gather such as it may have. */
#include <stddef.h>

enum { kProcesses = 3 };

/* Runs `part` in each of kProcesses processes; how many failed. */
int in_processes(void (*part)(int process));

/* A rondo_all_gather_function among them, as often as they like; `context`: the process's number,
 * an int. */
int gather_on_board(void* context, const void* mine, void* all, size_t bytes);
/* How often this process has called it. */
int times_gathered(void);
