/* Plans explained to C: candidates, the choice, links; whatever is asked. */
#include <stddef.h>

#include "check.h"

static const rondo_plan_choice* choice_of(const rondo_plan_report* report) {
  const rondo_plan_choice* choice = NULL;
  OK(rondo_plan_report_choice(report, &choice));
  CHECK(choice != NULL && choice->algorithm[0] != '\0' && choice->reason[0] != '\0');
  return choice;
}

static const rondo_plan_candidate* candidate_of(const rondo_plan_report* report, size_t index) {
  const rondo_plan_candidate* candidate = NULL;
  OK(rondo_plan_report_candidate(report, index, &candidate));
  CHECK(candidate != NULL);
  return candidate;
}

/* By predicted time; one of them is chosen, and it is the one that is named. */
static void candidates(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = 1 << 20;
  question.hosts = 2;
  question.ranks_per_host = 4;
  rondo_plan_report* report = NULL;
  OK(rondo_explain_plan(&question, &report));
  const rondo_plan_choice* const choice = choice_of(report);
  CHECK(choice->ranks == 8 && choice->hosts == 2 && choice->candidates > 5);
  int chosen = 0;
  double before_us = 0;
  for (size_t i = 0; i < choice->candidates; ++i) {
    const rondo_plan_candidate* const one = candidate_of(report, i);
    CHECK(one->name[0] != '\0' && one->summary[0] != '\0' && one->left_out[0] == '\0');
    CHECK(one->predicted_us >= before_us && one->predicted_us > 0 && one->formula_us > 0);
    CHECK(one->steps > 0 && one->most_rank_bytes > 0 && one->most_link_bytes > 0);
    CHECK(one->least_us == one->predicted_us && one->bounded == 0);
    CHECK(one->chosen == (strcmp(one->name, choice->algorithm) == 0));
    chosen += one->chosen;
    before_us = one->predicted_us;
  }
  CHECK(chosen == 1);

  /* What rondo_query_plan says of it is the same. */
  rondo_plan plan = RONDO_PLAN_INIT;
  OK(rondo_query_plan(RONDO_ALL_REDUCE, 1 << 20, RONDO_F32, 2, 4, NULL, &plan));
  CHECK(strcmp(plan.algorithm, choice->algorithm) == 0);
  CHECK(strcmp(plan.reason, choice->reason) == 0);
  OK(rondo_plan_report_release(report));
}

/* It has no data, whatever it is asked with. */
static void barrier(void) {
  rondo_plan none = RONDO_PLAN_INIT, asked = RONDO_PLAN_INIT;
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 1, 4, NULL, &none));
  OK(rondo_query_plan(RONDO_BARRIER, 1 << 26, RONDO_F32, 1, 4, NULL, &asked));
  CHECK(asked.most_rank_bytes == 0 && asked.predicted_us == none.predicted_us);
  CHECK(strcmp(asked.algorithm, none.algorithm) == 0);
}

#define TUNING_OF_BOTH                                                              \
  "{\"rondo_tuning\": 1, \"network\": {\"hosts\": [{\"ranks\": 2}]}, \"measured\": ["  \
  "{\"collective\": \"reduce\", \"algorithm\": \"tree\", \"times\": ["               \
  "{\"bytes\": 65536, \"us\": 0.8, \"simulated_us\": 1}]},"                            \
  "{\"collective\": \"reduce\", \"algorithm\": \"tree\", \"memory\": \"registered\", " \
  "\"times\": [{\"bytes\": 65536, \"us\": 0.2, \"simulated_us\": 1}]}]}"

/* A tuning that knows registered memory predicts a quarter of the time there. */
static void registered_memory(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.kind = RONDO_REDUCE;
  question.bytes = 65536;
  question.tuning = TUNING_OF_BOTH;
  question.algorithm = "tree";
  double us[2] = {0, 0};
  for (int32_t registered = 0; registered < 2; ++registered) {
    question.registered = registered;
    rondo_plan_report* report = NULL;
    OK(rondo_explain_plan(&question, &report));
    us[registered] = candidate_of(report, 0)->predicted_us;
    OK(rondo_plan_report_release(report));
  }
  CHECK(us[1] > 0 && us[0] > 3.999 * us[1] && us[0] < 4.001 * us[1]);
  rondo_plan_report* report = NULL;
  question.unused = 7;
  REFUSED(rondo_explain_plan(&question, &report), RONDO_INVALID_ARGUMENT,
          "rondo_plan_question.unused: expected 0, got 7");
}

/* A ring of two hosts with two ranks each: each rank sends 2 (n-1) / n of the data to the next. */
static void links(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = 1 << 20;
  question.network = "{\"hosts\": [{\"count\": 2, \"ranks\": 2}]}";
  question.algorithm = "ring";
  rondo_plan_report* report = NULL;
  OK(rondo_explain_plan(&question, &report));
  const rondo_plan_choice* const choice = choice_of(report);
  CHECK(choice->ranks == 4 && choice->hosts == 2 && choice->candidates == 1);
  CHECK(strcmp(choice->algorithm, "ring") == 0 && strcmp(choice->reason, "it is asked for") == 0);
  CHECK(candidate_of(report, 0)->chosen == 1 && candidate_of(report, 0)->steps == 6);
  int inside = 0, between = 0;
  for (size_t i = 0; i < choice->links; ++i) {
    const rondo_plan_link* link = NULL;
    OK(rondo_plan_report_link(report, i, &link));
    CHECK(link->to == (link->from + 1) % 4 && link->between_hosts == link->from % 2);
    CHECK(link->bytes == (1 << 20) / 4 * 6 && link->messages >= 6 && link->alike >= 1);
    *(link->between_hosts ? &between : &inside) += link->alike;
  }
  CHECK(inside == 2 && between == 2);
  uint64_t sent = 0, received = 0;
  for (size_t i = 0; i < choice->uplinks; ++i) {
    const rondo_plan_uplink* uplink = NULL;
    OK(rondo_plan_report_uplink(report, i, &uplink));
    CHECK(strncmp(uplink->name, "host ", 5) == 0 && uplink->of_switch == 0);
    CHECK(uplink->busy_share >= 0 && uplink->busy_share <= 1);
    sent += uplink->up_bytes * (uint64_t)uplink->alike;
    received += uplink->down_bytes * (uint64_t)uplink->alike;
  }
  CHECK(sent == 2 * ((1 << 20) / 4 * 6) && received == sent);
  OK(rondo_plan_report_release(report));
}

/* One of 8192 ranks' parts is a word longer than the others: a lower bound, beside the upper one.
 */
static void bounds(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = (16 << 20) + 4;
  question.hosts = 1;
  question.ranks_per_host = 8192;
  question.algorithm = "ring";
  rondo_plan_report* report = NULL;
  OK(rondo_explain_plan(&question, &report));
  const rondo_plan_candidate* const ring = candidate_of(report, 0);
  CHECK(ring->bounded == 1);
  CHECK(ring->least_us < ring->predicted_us && ring->least_us > 0.99 * ring->predicted_us);
  OK(rondo_plan_report_release(report));
}

/* Too large to simulate: why, and no links. */
static void left_out(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = 1 << 20;
  question.hosts = 4096;
  question.ranks_per_host = 1;
  question.algorithm = "halving_doubling";
  rondo_plan_report* report = NULL;
  OK(rondo_explain_plan(&question, &report));
  const rondo_plan_candidate* const candidate = candidate_of(report, 0);
  CHECK(candidate->predicted_us == 0 && strstr(candidate->left_out, "million steps") != NULL);
  const rondo_plan_link* link = NULL;
  CHECK(choice_of(report)->links == 0);
  REFUSED(rondo_plan_report_link(report, 0, &link), RONDO_INVALID_ARGUMENT,
          "link 0: there are 0, from 0");
  OK(rondo_plan_report_release(report));
}

/* The text that `question` is answered by, in room that was asked for; to be freed. `rank`: -1: the
 * drawing. */
static rondo_status text_of(const rondo_plan_question* question, int rank, char* text, size_t room,
                            size_t* needed) {
  if (rank < 0) return rondo_draw_plan(question, text, room, needed);
  return rondo_describe_plan(question, rank, text, room, needed);
}

static char* whole_text(const rondo_plan_question* question, int rank) {
  size_t needed = 0, again = 0;
  OK(text_of(question, rank, NULL, 0, &needed));
  CHECK(needed > 40);
  char* const text = malloc(needed);
  CHECK(text != NULL);
  OK(text_of(question, rank, text, needed, &again));
  CHECK(again == needed && strlen(text) == needed - 1);
  char cut[9];
  OK(text_of(question, rank, cut, sizeof cut, NULL));
  CHECK(strlen(cut) == sizeof cut - 1 && strncmp(cut, text, sizeof cut - 1) == 0);
  REFUSED(text_of(question, rank, NULL, 5, NULL), RONDO_INVALID_ARGUMENT, "text is null");
  return text;
}

static size_t times_in(const char* text, const char* words) {
  size_t times = 0;
  while ((text = strstr(text, words)) != NULL) {
    ++times;
    ++text;
  }
  return times;
}

/* A ring of three: each rank sends 2 (n-1) = 4 times, to the next one. */
static void steps(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = 4096;
  question.hosts = 3;
  question.ranks_per_host = 1;
  question.algorithm = "ring";
  for (int rank = 0; rank < 3; ++rank) {
    char words[40];
    char* const text = whole_text(&question, rank);
    snprintf(words, sizeof words, ", rank %d of 3\n", rank);
    CHECK(strncmp(text, "all_reduce of ", 14) == 0 && strstr(text, words) != NULL);
    snprintf(words, sizeof words, "rank %d", (rank + 1) % 3);
    CHECK(times_in(text, words) == 4);
    CHECK(text[strlen(text) - 1] == '\n' && "a whole line");
    free(text);
  }
  REFUSED(rondo_describe_plan(&question, 3, NULL, 0, NULL), RONDO_INVALID_ARGUMENT,
          "rank 3 is no rank of a world of 3 (0 to 2)");
  REFUSED(rondo_describe_plan(&question, -1, NULL, 0, NULL), RONDO_INVALID_ARGUMENT,
          "rank -1 is no rank of a world of 3");
  REFUSED(rondo_describe_plan(NULL, 0, NULL, 0, NULL), RONDO_INVALID_ARGUMENT, "question is null");
}

static void drawing(void) {
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = 4096;
  question.hosts = 3;
  question.ranks_per_host = 1;
  question.algorithm = "ring";
  char* const text = whole_text(&question, -1);
  CHECK(strncmp(text, "<svg ", 5) == 0 && strstr(text, "</svg>") != NULL);
  CHECK(strstr(text, "all_reduce by ring: 4 KiB, 3 ranks on 3 hosts, ") != NULL);
  free(text);
  question.hosts = 65;
  REFUSED(rondo_draw_plan(&question, NULL, 0, NULL), RONDO_INVALID_ARGUMENT,
          "a drawing of 65 ranks can't be looked at; expected at most 64");
  REFUSED(rondo_draw_plan(NULL, NULL, 0, NULL), RONDO_INVALID_ARGUMENT, "question is null");
}

/* Everybody sends everything to rank 0, which sums and sends that back. */
static void star_of_two(char* text, size_t room) {
  rondo_schedule* s = NULL;
  const rondo_place in = {RONDO_INPUT, 0}, out = {RONDO_OUTPUT, 0};
  const size_t size = sizeof(rondo_step);
  const rondo_step steps[] = {
      {.size = size, .kind = RONDO_STEP_SEND, .rank = 1, .peer = 0, .source = in},
      {.size = size,
       .kind = RONDO_STEP_RECV_REDUCE,
       .peer = 1,
       .source = in,
       .target = out,
       .final = 1},
      {.size = size, .kind = RONDO_STEP_SEND, .peer = 1, .source = out},
      {.size = size, .kind = RONDO_STEP_RECV, .rank = 1, .peer = 0, .target = out}};
  OK(rondo_schedule_begin("star", RONDO_ALL_REDUCE, 2, 1, 0, 0, &s));
  for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
    OK(rondo_schedule_add(s, &steps[i], NULL));
  size_t needed = 0;
  OK(rondo_schedule_build(s, text, room, &needed));
  CHECK(needed <= room);
  OK(rondo_schedule_release(s));
}

/* A tuning's world, its constants, and a schedule of one's own beside ours. */
static void own_schedules_and_tunings(void) {
  char text[4096];
  star_of_two(text, sizeof text);
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.bytes = 4096;
  question.type = RONDO_F64;
  question.schedule = text;
  question.tuning =
      "{\"rondo_tuning\": 1, \"network\": {\"hosts\": [{\"ranks\": 2}],"
      " \"inside\": {\"messages\": [{\"latency_us\": 700}]}}}";
  rondo_plan_report* report = NULL;
  OK(rondo_explain_plan(&question, &report));
  const rondo_plan_choice* const choice = choice_of(report);
  CHECK(choice->ranks == 2 && choice->hosts == 1);
  int stars = 0;
  for (size_t i = 0; i < choice->candidates; ++i) {
    const rondo_plan_candidate* const one = candidate_of(report, i);
    CHECK(one->formula_us == 0 && one->predicted_us > 700);
    if (strcmp(one->name, "star") != 0) continue;
    ++stars;
    CHECK(one->chosen == 0 && one->steps == 2 && one->predicted_us > 1400);
  }
  CHECK(stars == 1);
  OK(rondo_plan_report_release(report));
}

/* What is said besides a network has to be the same; 0 says nothing. */
/* Also of what C++ takes for unsaid: one host, or two ranks of each. */
static void worlds_said_in_part(void) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  const char* const three = "{\"hosts\": [{\"ranks\": 3}]}";
  const char* const two_of_three = "{\"hosts\": [{\"count\": 2, \"ranks\": 3}]}";
  const char* const two_of_two = "{\"hosts\": [{\"ranks\": 2}, {\"ranks\": 2}]}";
  const char* const mixed = "{\"hosts\": [{\"ranks\": 1}, {\"ranks\": 3}]}";
  rondo_plan plan = RONDO_PLAN_INIT;
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 1, 0, three, &plan));
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 0, 2, two_of_two, &plan));
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 2, 2, two_of_two, &plan));
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 2, 0, mixed, &plan));
  REFUSED(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 1, 3, two_of_three, &plan), bad,
          "1 hosts of 3 ranks: network file describes 6 ranks on 2 hosts; expected the same");
  REFUSED(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 2, 2, two_of_three, &plan), bad,
          "2 hosts of 2 ranks: network file describes 6 ranks on 2 hosts; expected the same");
  REFUSED(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 1, 0, two_of_three, &plan), bad,
          "1 hosts of 0 ranks: network file describes 6 ranks on 2 hosts");
  REFUSED(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 0, 2, three, &plan), bad,
          "0 hosts of 2 ranks: network file describes 3 ranks on 1 hosts");
  REFUSED(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 2, 2, mixed, &plan), bad,
          "2 hosts of 2 ranks: network file describes 4 ranks on 2 hosts");
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  rondo_plan_report* report = NULL;
  question.network = two_of_three;
  question.hosts = 1;
  question.ranks_per_host = 3;
  REFUSED(rondo_explain_plan(&question, &report), bad, "network file describes 6 ranks");
  question.hosts = 2;
  OK(rondo_explain_plan(&question, &report));
  CHECK(choice_of(report)->ranks == 6 && choice_of(report)->hosts == 2);
  OK(rondo_plan_report_release(report));
}

static void worlds_beside_a_network(void) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  const char* const three = "{\"hosts\": [{\"ranks\": 3}]}";
  const char* const mixed = "{\"hosts\": [{\"ranks\": 4}, {\"ranks\": 2}]}";
  const char* const two = "{\"hosts\": [{\"ranks\": 2}]}";
  rondo_plan plan = RONDO_PLAN_INIT;
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 0, 0, three, &plan));
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 1, 3, three, &plan));
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 0, 3, three, &plan));
  OK(rondo_query_plan(RONDO_BARRIER, 0, RONDO_F32, 1, 2, two, &plan));
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, 64, RONDO_F32, 2, 4, three, &plan), bad,
          "2 hosts of 4 ranks: network file describes 3 ranks on 1 hosts; expected the same");
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, 64, RONDO_F32, 1, 2, three, &plan), bad,
          "1 hosts of 2 ranks: network file describes 3 ranks on 1 hosts; expected the same");
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, 64, RONDO_F32, 2, 3, mixed, &plan), bad,
          "2 hosts of 3 ranks: network file describes 6 ranks on 2 hosts");
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, 64, RONDO_F32, -1, 0, three, &plan), bad,
          "-1 hosts of 0 ranks: network file describes");
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  question.network = three;
  for (question.hosts = 1; question.hosts <= 2; ++question.hosts) {
    question.ranks_per_host = 2;
    rondo_plan_report* report = NULL;
    REFUSED(rondo_explain_plan(&question, &report), bad, "network file describes 3 ranks");
    REFUSED(rondo_draw_plan(&question, NULL, 0, NULL), bad, "network file describes 3 ranks");
    REFUSED(rondo_describe_plan(&question, 0, NULL, 0, NULL), bad, "network file describes 3");
  }
}

static void mistakes(void) {
  const rondo_status bad = RONDO_INVALID_ARGUMENT;
  rondo_plan_question question = RONDO_PLAN_QUESTION_INIT;
  rondo_plan_report* report = NULL;
  REFUSED(rondo_explain_plan(NULL, &report), bad, "question is null");
  REFUSED(rondo_explain_plan(&question, NULL), bad, "out is null");
  REFUSED(rondo_explain_plan(&question, &report), bad, "0 hosts of 0 ranks");
  question.bytes = 1024;
  question.hosts = 1;
  question.ranks_per_host = 2;
  question.bytes = ((uint64_t)1 << 40) + 1;
  REFUSED(rondo_explain_plan(&question, &report), bad,
          "all_reduce of 1099511627777 bytes on a rank: expected at most 1099511627776");
  rondo_plan plan = RONDO_PLAN_INIT;
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, UINT64_MAX, RONDO_F32, 1, 2, NULL, &plan), bad,
          "all_reduce of 18446744073709551615 bytes");
  question.bytes = 1000001;
  const char* const whole =
      "all_reduce of 1000001 bytes on a rank: expected whole elements of f32, 4 bytes each";
  REFUSED(rondo_explain_plan(&question, &report), bad, whole);
  REFUSED(rondo_draw_plan(&question, NULL, 0, NULL), bad, whole);
  REFUSED(rondo_describe_plan(&question, 0, NULL, 0, NULL), bad, whole);
  REFUSED(rondo_query_plan(RONDO_ALL_REDUCE, 1000001, RONDO_F32, 1, 2, NULL, &plan), bad, whole);
  question.bytes = 1024;
  question.kind = RONDO_SEND;
  REFUSED(rondo_explain_plan(&question, &report), bad, "kind 100");
  question.kind = (rondo_kind)-5;
  REFUSED(rondo_explain_plan(&question, &report), bad,
          "rondo_plan_question.kind -5: expected a rondo_kind");
  question.kind = RONDO_BROADCAST;
  question.type = (rondo_type)77;
  REFUSED(rondo_explain_plan(&question, &report), bad, "type 77");
  question.type = RONDO_F32;
  question.root = 2;
  REFUSED(rondo_explain_plan(&question, &report), bad, "root 2 is no rank of a world of 2");
  question.root = 0;
  question.algorithm = "star";
  REFUSED(rondo_explain_plan(&question, &report), bad, "there is no algorithm 'star'");
  question.algorithm = NULL;
  question.network = "{";
  REFUSED(rondo_explain_plan(&question, &report), bad, "network file: not JSON");
  question.network = NULL;
  CHECK(report == NULL && "nothing was handed out");

  OK(rondo_explain_plan(&question, &report));
  const rondo_plan_choice* choice = NULL;
  const rondo_plan_candidate* candidate = NULL;
  const rondo_plan_link* link = NULL;
  REFUSED(rondo_plan_report_choice(NULL, &choice), bad, "report is null");
  REFUSED(rondo_plan_report_choice(report, NULL), bad, "out is null");
  REFUSED(rondo_plan_report_candidate(report, 0, NULL), bad, "out is null");
  REFUSED(rondo_plan_report_link(report, 0, NULL), bad, "out is null");
  const rondo_plan_uplink* uplink = NULL;
  REFUSED(rondo_plan_report_uplink(report, 0, NULL), bad, "out is null");
  REFUSED(rondo_plan_report_uplink(report, choice_of(report)->uplinks, &uplink), bad, "uplink ");
  REFUSED(rondo_plan_report_candidate(report, (size_t)-1, &candidate), bad, "candidate ");
  REFUSED(rondo_plan_report_link(report, choice_of(report)->links, &link), bad, "link ");
  CHECK(candidate == NULL && link == NULL && uplink == NULL);
  OK(rondo_plan_report_release(report));
  OK(rondo_plan_report_release(NULL));
}

/* What an older header didn't have has its default; what a newer one has must be zero. */
static void other_headers(void) {
  struct {
    rondo_plan_question known;
    uint64_t unknown;
  } newer = {RONDO_PLAN_QUESTION_INIT, 0};
  rondo_plan_report* report = NULL;
  newer.known.bytes = 1024;
  newer.known.hosts = 1;
  newer.known.ranks_per_host = 2;
  newer.known.algorithm = "ring";
  newer.known.schedule = "{"; /* an older header ended before it */
  newer.known.size = offsetof(rondo_plan_question, schedule);
  OK(rondo_explain_plan(&newer.known, &report));
  CHECK(strcmp(choice_of(report)->algorithm, "ring") == 0);
  OK(rondo_plan_report_release(report));
  newer.known.schedule = NULL;
  newer.known.size = sizeof newer;
  OK(rondo_explain_plan(&newer.known, &report));
  OK(rondo_plan_report_release(report));
  newer.unknown = 1;
  REFUSED(rondo_explain_plan(&newer.known, &report), RONDO_INVALID_ARGUMENT,
          "made for a newer one");
  newer.known.size = 8;
  REFUSED(rondo_explain_plan(&newer.known, &report), RONDO_INVALID_ARGUMENT,
          "rondo_plan_question.size is 8");
}

int main(void) {
  candidates();
  barrier();
  registered_memory();
  links();
  bounds();
  left_out();
  steps();
  drawing();
  own_schedules_and_tunings();
  worlds_beside_a_network();
  worlds_said_in_part();
  mistakes();
  other_headers();
  return 0;
}
