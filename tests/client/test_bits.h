/* For tests only, never installed: reports from a given stream of words, so that two builds can be compared byte for
 * byte. The shipped library has no such function (tests/install). */
#ifndef PPGNN_TEST_BITS_H
#define PPGNN_TEST_BITS_H

#include "ppgnn/client/ppgnn_client.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A report, made with `words` in place of the operating system's and marked as seeded; needs neither limits nor ledger.
 * `*used`: how many words were drawn. PPGNN_NOT_THERE where there are too few. */
int ppgnn_test_report(ppgnn_client* client, uint32_t level, const ppgnn_features* features, uint64_t round,
                      const uint64_t* words, size_t count, size_t* used, uint8_t* buffer, size_t capacity,
                      size_t* size);

#ifdef __cplusplus
}
#endif

#endif
