/* A device in C: opens a plan, shows what would leave, makes the campaign's report, and gets the same one again.
 * report PLAN LEDGER NAME */
#include <math.h>
#include <ppgnn/client/ppgnn_client.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The plan as text, or NULL. */
static char* read_text(const char* path, size_t* size) {
  FILE* file = fopen(path, "rb");
  char* text = NULL;
  if (file != NULL && fseek(file, 0, SEEK_END) == 0 && ftell(file) >= 0) {
    *size = (size_t)ftell(file);
    rewind(file);
    text = malloc(*size + 1);
    if (text != NULL && fread(text, 1, *size, file) != *size) {
      free(text);
      text = NULL;
    }
  }
  if (file != NULL) fclose(file);
  return text;
}

static int refuse(const char* what, const char* why) {
  fprintf(stderr, "%s: %s\n", what, why);
  return 1;
}

int main(int count, char** arguments) {
  if (count != 4) return refuse("usage", "report PLAN LEDGER NAME");
  size_t size = 0;
  char* plan = read_text(arguments[1], &size);
  if (plan == NULL) return refuse("plan", "cannot be read");
  char error[256];
  ppgnn_client* client = NULL;
  const int opened = ppgnn_open(plan, size, &client, error, sizeof(error));
  free(plan);
  if (opened != PPGNN_OK) return refuse("plan", error);

  /* What the person agreed to, once, in the application's settings. */
  const ppgnn_limits limits = {.report = 2.5, .lifetime = 10, .reports = UINT64_MAX, .level_disclosed = 0};
  if (ppgnn_agree(client, &limits) != PPGNN_OK) return refuse("plan", ppgnn_error(client));
  ppgnn_set_person(client, arguments[3], strlen(arguments[3]));
  if (ppgnn_use_ledger_file(client, arguments[2]) != PPGNN_OK) return refuse("ledger", ppgnn_error(client));

  /* What would leave, at each level: for the person to choose. */
  ppgnn_plan_facts facts;
  ppgnn_plan(client, &facts);
  for (uint32_t level = 1; level <= facts.levels; ++level) {
    char words[4096];
    if (ppgnn_preview(client, level, words, sizeof(words), NULL) != PPGNN_OK) return refuse("level", ppgnn_error(client));
    printf("%s\n", words);
  }

  /* The person's own features and level: never in a log. Here three columns that are 1. */
  const uint32_t columns[] = {0, 2, 3};
  const ppgnn_features features = {.form = PPGNN_ONES, .columns = columns, .count = 3};
  uint8_t report[4096];
  uint8_t again[4096];
  size_t again_size = 0;
  int32_t fresh = 0;
  if (ppgnn_report(client, 1, &features, 0, report, sizeof(report), &size, &fresh) != PPGNN_OK ||
      ppgnn_report(client, 2, &features, 1, again, sizeof(again), &again_size, NULL) != PPGNN_OK) {
    return refuse("report", ppgnn_error(client));
  }
  ppgnn_close(client);
  if (again_size != size || memcmp(report, again, size) != 0) return refuse("report", "there are two");
  printf("%s of %zu bytes, to be sent\n", fresh == 1 ? "a new report" : "the report there is", size);
  return 0;
}
