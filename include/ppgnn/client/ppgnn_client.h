/* A person's device, in C: for Swift, Kotlin (JNI), Python (ctypes), WebAssembly. docs/client.md shows how to use it.
 *
 * A client verifies a plan's certificate itself, holds it to what the person agreed to, says in words what would leave
 * the device, and makes at most one report a campaign: the ledger keeps that report, and it leaves only once it is kept.
 * Randomness is the operating system's; there is no seed and no way to put another in its place.
 *
 * Every function that can fail returns a code of `ppgnn_code`. The numbers never change; new ones may be added. Texts are
 * UTF-8 and end with a zero byte that `size` does not count. Where a buffer is too small, PPGNN_TOO_SMALL is returned and
 * `*size` says how much is needed, so that a call with no buffer asks for the size. Messages hold no private value.
 *
 * Threads: one client per thread. Stack: 128 KB. Memory: ppgnn_report allocates nothing, unless another process made the
 * ledger grow in the meantime.
 */
#ifndef PPGNN_CLIENT_H
#define PPGNN_CLIENT_H

#include <stddef.h>
#include <stdint.h>

/* NOLINTBEGIN: this is C. */

#ifdef __cplusplus
extern "C" {
#endif

/* Grows by one when something is added; what is here stays as it is. */
#define PPGNN_ABI_VERSION 4

typedef struct ppgnn_client ppgnn_client;

typedef enum ppgnn_code {
  PPGNN_OK = 0,
  PPGNN_INVALID_ARGUMENT = 1, /* something the application chose is out of its range */
  PPGNN_MALFORMED = 2,        /* a plan, question or features file does not have the documented form */
  PPGNN_MISMATCH = 3,         /* well-formed, but not of this plan */
  PPGNN_CERTIFICATE = 4,      /* the plan does not keep what it promises */
  PPGNN_STORAGE = 5,          /* the ledger could not be read or written: nothing may leave the device */
  PPGNN_TOO_SMALL = 6,        /* the buffer; `*size` says what is needed */
  PPGNN_OVER_LIMIT = 7,       /* the plan costs more than the person agreed to, for one report or in all */
  PPGNN_NOT_AGREED = 8,       /* ppgnn_agree was not called */
  PPGNN_NO_LEDGER = 9,        /* ppgnn_use_ledger was not called */
  PPGNN_REPORTED = 10,        /* this campaign has its report, of another plan or to another question; or its model or hint, another */
  PPGNN_DAMAGED = 11,         /* the ledger is damaged: nobody knows what was reported, so nothing is */
  PPGNN_ROLLED_BACK = 12,     /* the ledger is older than the host's counter */
  PPGNN_NOT_THERE = 13,       /* no such text, entry or stored report */
  PPGNN_NOT_PERMITTED = 14    /* only with the person's explicit word: ppgnn_permit. Since version 3 */
} ppgnn_code;

/* Opening a plan ---------------------------------------------------------------------------------------------------- */

/* Version of this interface that the library was built with. */
int ppgnn_abi_version(void);

/* Reads a plan (docs/formats/plan.md) and verifies its certificate. On failure `*client` is NULL and `error`, if it is not
 * NULL, gets a sentence of at most `capacity` bytes. */
int ppgnn_open(const char* plan, size_t size, ppgnn_client** client, char* error, size_t capacity);
/* Ends a client and its ledger; wipes what they held. NULL is allowed. */
void ppgnn_close(ppgnn_client* client);
/* Why the last call on this client failed: a sentence without private values, valid until the next call. */
const char* ppgnn_error(const ppgnn_client* client);

/* The name under which the server knows the person; plans of a campaign need it. */
int ppgnn_set_person(ppgnn_client* client, const char* name, size_t size);
/* The person's question (docs/formats/question.md); a plan of answers needs it. */
int ppgnn_set_question(ppgnn_client* client, const uint8_t* bytes, size_t size);
/* Whom the report is for: the collector's address, or another name of 1 to 255 bytes without control or bidirectional
 * characters. The ledger keeps it with the report, and hands the report to nobody else: PPGNN_NOT_PERMITTED. An application
 * that names nobody gets only the reports that were made for nobody. Since version 3. */
int ppgnn_set_recipient(ppgnn_client* client, const char* name, size_t size);

/* What a device does only if the person says so, each time, after having read what it means. */
typedef enum ppgnn_permission {
  PPGNN_PERMIT_OTHER_RECIPIENT = 1, /* the report goes to a recipient that it was not made for, who learns all that it tells */
  PPGNN_PERMIT_UNNAMED_AGAIN = 2    /* a plan without campaign gets a report although another such plan has one */
} ppgnn_permission;

/* Sum of ppgnn_permission; replaces what was permitted before, 0 takes it back. Since version 3. */
int ppgnn_permit(ppgnn_client* client, uint32_t permissions);

/* What the person agreed to. Every limit is about what a plan may cost anybody, never about the person's own level: under
 * the same limits, devices of all levels report and refuse alike. Limits that people choose by their level tell of it. */
typedef struct ppgnn_limits {
  double report;    /* most nats that one report may cost, at the plan's most relaxed level */
  double lifetime;  /* most nats in all, each report counted at its plan's most relaxed level; HUGE_VAL: no limit */
  uint64_t reports; /* most reports in all; UINT64_MAX: no limit */
  int32_t level_disclosed; /* 1: plans that send the level in the clear are agreed to; 0: they are refused */
  int32_t reserved;        /* 0 */
} ppgnn_limits;

/* What a person agrees to who says nothing else: 3 nats for a report, 10 nats and 10 reports in all, levels not sent in the
 * clear. Say these to the person, and let them be changed. Since version 3. */
void ppgnn_default_limits(ppgnn_limits* limits);

/* Holds the plan to the limits: PPGNN_OVER_LIMIT if it exceeds them. No report is made before this succeeded. */
int ppgnn_agree(ppgnn_client* client, const ppgnn_limits* limits);

/* What a plan is, for an interface ------------------------------------------------------------------------------------ */

typedef struct ppgnn_plan_facts {
  uint32_t levels;          /* levels are counted from 1, the strictest */
  uint32_t columns;         /* features */
  uint32_t level_is_public; /* 1: the level is sent in the clear */
  uint32_t asks;            /* 1: a question is needed */
  uint32_t needs_person;    /* 1: a name is needed */
  uint32_t notes;           /* texts PPGNN_TEXT_NOTE */
  double largest_spend;     /* nats of one report at the most relaxed level: what the limits count */
  double level_loss;        /* nats about the level, to somebody who knows the features; HUGE_VAL: it is sent */
} ppgnn_plan_facts;

typedef struct ppgnn_level_facts {
  double budget;        /* most that a person of this level allows, nats */
  double spend;         /* what a report costs, features and level report, nats, rounded up */
  double odds;          /* by which factor odds between two guesses at the features change at most */
  double percent;       /* what a guess at 50:50 becomes at most, in percent */
  double level_percent; /* the same for a guess at the level, by somebody who knows the features; 100: it is sent */
  uint32_t bytes;       /* of a report in round 0 */
  uint32_t reserved;
} ppgnn_level_facts;

int ppgnn_plan(ppgnn_client* client, ppgnn_plan_facts* facts);
int ppgnn_level(ppgnn_client* client, uint32_t level, ppgnn_level_facts* facts);

typedef enum ppgnn_text_kind {
  PPGNN_TEXT_KIND = 0,         /* of report, as in plan files: signs, category, buckets, directions, answer */
  PPGNN_TEXT_TITLE = 1,        /* what the plan's reports are */
  PPGNN_TEXT_INTRODUCTION = 2, /* what must be said before a level is described; may be empty */
  PPGNN_TEXT_NOTE = 3,         /* what else somebody must know; `index` below `notes` */
  PPGNN_TEXT_CAMPAIGN = 4,     /* name of the campaign; empty if the plan is of none */
  PPGNN_TEXT_RULE = 5,         /* who takes part, in words; may be empty */
  PPGNN_TEXT_HASH = 6,         /* of the plan, hexadecimal */
  PPGNN_TEXT_COLUMN = 7,       /* name of the column `index` */
  PPGNN_TEXT_QUESTION = 8,     /* the question's wording at level `index`, and the columns that weigh most */
  PPGNN_TEXT_LEDGER = 9,       /* what was spent, what this report would add at level `index`, limits; needs a ledger */
  PPGNN_TEXT_RECIPIENT = 10,   /* whom the ledger's entry `index` was made for; empty: nobody said. Since version 3 */
  PPGNN_TEXT_CLASS = 11,       /* name of the class `index` of the plan's questions; since version 4 */
  PPGNN_TEXT_GROUP = 12        /* name of the group `index` of columns; since version 4 */
} ppgnn_text_kind;

int ppgnn_text(ppgnn_client* client, int32_t kind, uint32_t index, char* buffer, size_t capacity, size_t* size);

/* What would leave the device at `level`, in words: for every level, not only the person's. */
int ppgnn_preview(ppgnn_client* client, uint32_t level, char* buffer, size_t capacity, size_t* size);
/* The bytes of a report of somebody who has no feature at all: what one looks like. Costs nothing and is not to be sent. */
int ppgnn_example(ppgnn_client* client, uint32_t level, uint64_t round, uint8_t* buffer, size_t capacity, size_t* size);

/* The ledger -------------------------------------------------------------------------------------------------------- */

/* Where a host keeps the ledger (docs/formats/ledger.md). It holds the person's own sums and the reports that were sent:
 * keep it as private as the features. Functions that may be NULL say so. */
typedef struct ppgnn_storage {
  void* host; /* handed to every function */
  /* Copies at most `capacity` bytes and returns how many there are, 0 if there never was a ledger, below 0 on failure.
   * `bytes` is never NULL. Where there are more than `capacity`, it is called again with more room. */
  int64_t (*load)(void* host, uint8_t* bytes, size_t capacity);
  /* Replaces all of it at once. 0 only once it would survive a crash; anything else: nothing leaves the device. */
  int32_t (*store)(void* host, const uint8_t* bytes, size_t size);
  /* Around load and store, so that two processes or tabs cannot both report. 0: locked. NULL: there is only one. */
  int32_t (*lock)(void* host);
  void (*unlock)(void* host);
  /* A counter that never goes back, outside of what is backed up and restored. NULL, both: rollback is not detected. */
  int32_t (*counter)(void* host, uint64_t* value);
  int32_t (*raise)(void* host, uint64_t value);
  /* Why the last function failed, or NULL. Must hold nothing private. */
  const char* (*reason)(void* host);
  /* When it is not needed any more; also when the ledger is refused. May be NULL. */
  void (*release)(void* host);
} ppgnn_storage;

int ppgnn_use_ledger(ppgnn_client* client, const ppgnn_storage* storage);
/* A file, replaced atomically and flushed, with a lock file beside it. Not in WebAssembly. */
int ppgnn_use_ledger_file(ppgnn_client* client, const char* path);

typedef enum ppgnn_state {
  PPGNN_STATE_NONE = 0,      /* the ledger knows nothing of this campaign */
  PPGNN_STATE_NOT_ASKED = 1, /* the person was not asked and spent nothing */
  PPGNN_STATE_REPORTED = 2,  /* there is a report */
  PPGNN_STATE_OTHER = 3,     /* there is one of another plan, or to another question: none is made. Since version 3 */
  PPGNN_STATE_DECIDES = 4    /* of an entry: the device decides by a model, which costs nothing. Since version 4 */
} ppgnn_state;

typedef struct ppgnn_sums {
  uint32_t entries; /* campaigns in the ledger */
  uint32_t state;   /* of this plan's campaign: ppgnn_state */
  uint64_t reports; /* made in all; what limits count */
  double counted;   /* nats in all, each report at its plan's most relaxed level; what limits count */
  double features;  /* the person's own sum, nats: only to be shown */
  double level;     /* the same for the level; HUGE_VAL: it was sent in the clear */
} ppgnn_sums;

typedef struct ppgnn_entry {
  uint32_t state; /* ppgnn_state */
  uint32_t bytes; /* of the stored report */
  double counted; /* as in ppgnn_sums */
  double features;
  double level;
  uint8_t plan[32];  /* hash of the plan; of the model where the device decides */
  char campaign[72]; /* name, ends with a zero byte; empty for a plan without campaign */
} ppgnn_entry;

int ppgnn_ledger_sums(ppgnn_client* client, ppgnn_sums* sums);
/* `index` below `entries`, oldest first. */
int ppgnn_ledger_entry(ppgnn_client* client, uint32_t index, ppgnn_entry* entry);
/* Notes that this campaign did not ask the person: costs nothing, and does not stand in the way of a later report. */
int ppgnn_not_asked(ppgnn_client* client);

/* Reports ----------------------------------------------------------------------------------------------------------- */

typedef enum ppgnn_form {
  PPGNN_DENSE = 0,  /* `count` values, from the first column; what is missing is absent */
  PPGNN_SPARSE = 1, /* `count` columns, ascending, with their values */
  PPGNN_ONES = 2    /* `count` columns, ascending, that are 1 */
} ppgnn_form;

/* The person's features, in memory of the caller: read, not copied. What a form does not use is NULL. */
typedef struct ppgnn_features {
  int32_t form;
  int32_t reserved; /* 0 */
  const uint32_t* columns;
  const float* values;
  size_t count;
} ppgnn_features;

/* Reads a file of the person's own, CSV or JSON (docs/formats/features.md), into memory of the caller: `*count` columns,
 * ascending, with their values, as PPGNN_SPARSE takes them. `*count` is at most the plan's columns and at most half of
 * `size`, rounded up. The library keeps no copy. Since version 2. */
int ppgnn_read_features(ppgnn_client* client, const char* bytes, size_t size, uint32_t* columns, float* values,
                        size_t capacity, size_t* count);

/* Bytes that hold every report of this plan. */
int ppgnn_report_size(ppgnn_client* client, size_t* size);

/* The campaign's report. Made once, kept in the ledger, and handed out only when it is kept; after that, the same bytes
 * again, whatever features, level and round are (`*fresh` is 0), and PPGNN_REPORTED for another plan or question of the
 * same campaign, PPGNN_NOT_PERMITTED for another recipient. Needs the limits, a ledger and a buffer of ppgnn_report_size. `fresh` may be NULL. */
int ppgnn_report(ppgnn_client* client, uint32_t level, const ppgnn_features* features, uint64_t round, uint8_t* buffer,
                 size_t capacity, size_t* size, int32_t* fresh);
/* The stored report of this campaign, for sending again; needs no features. PPGNN_NOT_THERE: there is none.
 * PPGNN_REPORTED: it is of another plan, or to another question than the one set. PPGNN_NOT_PERMITTED: it was made for
 * another recipient. */
int ppgnn_resend(ppgnn_client* client, uint8_t* buffer, size_t capacity, size_t* size);

/* Decisions ----------------------------------------------------------------------------------------------------------- */

/* The campaign's published model (docs/formats/model.md) and what graph and labels say of the person (docs/formats/hint.md),
 * on a client that was opened with the plan of the people who calibrated the model: PPGNN_MISMATCH for a model that the plan
 * does not ask about. Since version 4. */
int ppgnn_set_model(ppgnn_client* client, const char* model, size_t size, const uint8_t* hint, size_t hint_size);

typedef struct ppgnn_decision {
  uint32_t classes;  /* probabilities that there are */
  uint32_t groups;   /* reasons that there are: one a group of columns */
  uint32_t first;    /* number of the likeliest class, PPGNN_TEXT_CLASS */
  uint32_t second;   /* the next */
  int32_t graph;     /* of the lead of the first over the second, in 1/256 nat: what the hint says */
  int32_t features;  /* and what the features say */
} ppgnn_decision;

/* AN ACTION THAT OTHERS CAN SEE IS A REPORT WITHOUT A BOUND: what an application does visibly because of a decision (fetch
 * an advertisement, sort a list that the server sees) tells of the features, and no certificate and no ledger counts it.
 * Decides on the device, by model, hint and features; nothing is sent and nothing is spent. Without a feature the hint
 * decides alone: so does a device whose campaign withdrew its model. Needs a ledger, which takes one model and one hint a
 * campaign: PPGNN_REPORTED for another. `probabilities` gets one a class, in 1/65536, summing to 65536; `groups`, unless it
 * is NULL, what each group of columns adds to the lead, in 1/256 nat. PPGNN_TOO_SMALL where `capacity` numbers are too few
 * for either; `decision` then says how many there are, and nothing was decided. Since version 4. */
int ppgnn_decide(ppgnn_client* client, const ppgnn_features* features, ppgnn_decision* decision, uint32_t* probabilities,
                 int32_t* groups, size_t capacity);

#ifdef __cplusplus
}
#endif

/* NOLINTEND */
#endif
