#include "graph/parallel.hpp"

#include <gtest/gtest.h>

#include <new>
#include <vector>

#include "support/threads.hpp"

namespace ppgnn::graph {
namespace {

TEST(Parallel, VisitsEveryIndexOnce) {
  for (const std::size_t count : {0u, 1u, 9u, 10u, 11u, 1000u}) {
    for (const std::size_t threads : {1u, 2u, 7u}) {
      std::vector<int> visits(count, 0);
      test::with_threads(threads, [&] { for_each_index(count, 10, [&](std::size_t i) { ++visits[i]; }); });
      EXPECT_EQ(visits, std::vector<int>(count, 1));
    }
  }
}

TEST(Parallel, FindsTheFirst) {
  for (const std::size_t threads : {1u, 2u, 7u}) {
    const auto first_of = [&](auto holds) {
      return test::with_threads(threads, [&] { return first_index(10000, 10, holds); });
    };
    EXPECT_EQ(first_of([](std::size_t i) { return i % 1000 == 777; }), 777u);
    EXPECT_EQ(first_of([](std::size_t i) { return i == 9999; }), 9999u);
    EXPECT_EQ(first_of([](std::size_t) { return true; }), 0u);
    EXPECT_EQ(first_of([](std::size_t) { return false; }), kNoIndex);
  }
}

TEST(Parallel, WhatABodyThrowsArrivesAtTheCaller) {
  for (const std::size_t threads : {1u, 2u, 7u}) {
    const auto fail_at = [&](std::size_t which) {
      test::with_threads(threads, [&] {
        for_each_index(1000, 10, [&](std::size_t i) {
          if (i == which) throw std::bad_alloc();
        });
      });
    };
    for (const std::size_t which : {0u, 500u, 999u}) EXPECT_THROW(fail_at(which), std::bad_alloc);
    EXPECT_NO_THROW(fail_at(1000));
  }
}

}  // namespace
}  // namespace ppgnn::graph
