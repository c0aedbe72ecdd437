// 1, 2 and 7 threads give the same bits, for every kernel.
#include "ppgnn/kernels/threads.hpp"

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <atomic>
#include <functional>
#include <new>
#include <thread>
#include <vector>

#include "ppgnn/kernels/activation.hpp"
#include "ppgnn/kernels/adam.hpp"
#include "ppgnn/kernels/attention.hpp"
#include "ppgnn/kernels/dense.hpp"
#include "ppgnn/kernels/loss.hpp"
#include "ppgnn/kernels/sparse.hpp"
#include "support/graphs.hpp"

namespace ppgnn::kernels {
namespace {

using test::random_matrix;

// The pool is as large as the machine unless told: seven threads must be seven on two cores too.
const tbb::global_control kSeven(tbb::global_control::max_allowed_parallelism, 7);

void expect_same_bits(const std::function<Matrix(const Threads&)>& run) {
  const Matrix one = run(Threads(1));
  EXPECT_TRUE(test::same_bits(run(Threads(2)), one));
  EXPECT_TRUE(test::same_bits(run(Threads(7)), one));
}

TEST(Threads, EveryTaskRunsOnceAndTwoThreadsReallyMeet) {
  for (const std::size_t count : {1u, 2u, 7u}) {
    const Threads threads(count);
    EXPECT_EQ(threads.count(), count);
    std::vector<std::atomic<int>> seen(1000);
    threads.for_each(seen.size(), [&](std::size_t task) { ++seen[task]; });
    for (const auto& times : seen) EXPECT_EQ(times, 1);
    threads.for_each(0, [](std::size_t) { FAIL(); });
  }
  // Two tasks that wait for each other can only end when two threads run them.
  std::atomic<int> arrived{0};
  Threads(2).for_each(2, [&](std::size_t) {
    ++arrived;
    while (arrived < 2) std::this_thread::yield();
  });
  EXPECT_EQ(arrived, 2);
  EXPECT_GE(Threads(0).count(), 1u);
}

TEST(Threads, WhatATaskThrowsArrivesAtTheCaller) {
  for (const std::size_t count : {1u, 2u, 7u}) {
    const Threads threads(count);
    EXPECT_THROW(threads.for_each(100,
                                  [](std::size_t task) {
                                    if (task == 57) throw std::bad_alloc();
                                  }),
                 std::bad_alloc);
    EXPECT_THROW(threads.for_each(100, [](std::size_t) { throw std::bad_alloc(); }), std::bad_alloc);
    EXPECT_THROW(for_row_blocks(100000, threads, [](std::size_t, std::size_t, std::size_t) { throw std::bad_alloc(); }),
                 std::bad_alloc);
    std::atomic<int> ran{0};
    threads.for_each(100, [&](std::size_t) { ++ran; });  // and everything works as before
    EXPECT_EQ(ran, 100);
  }
}

TEST(Threads, ACountBeyondTheBoundIsTakenForTheBound) {
  EXPECT_EQ(Threads(std::size_t{1} << 40).count(), kMaxThreads);
}

TEST(Threads, SparseProduct) {
  const auto graph = test::random_graph(9000, 60000, 1);
  const auto values = random_matrix(graph.columns.size(), 1, 2);
  const auto whole = SparseMatrix::make(graph.view(), {.values = values.values(), .diagonal = Diagonal::all});
  const auto banded = SparseMatrix::make(graph.view(), {.diagonal = Diagonal::all}, 5000);
  ASSERT_EQ(banded->bands().size(), 2u);
  for (const SparseMatrix* matrix : {&*whole, &*banded}) {
    for (const std::size_t width : {4u, 16u, 23u, 64u}) {
      const Matrix x = random_matrix(9000, width, 3);
      expect_same_bits([&](const Threads& threads) {
        Matrix y(9000, width);
        multiply(*matrix, x.view(), y.view(), threads);
        return y;
      });
    }
  }
}

TEST(Threads, DenseProductsAndSums) {
  const Matrix a = random_matrix(9001, 16, 1);
  const Matrix b = random_matrix(16, 7, 2);
  const Matrix g = random_matrix(9001, 7, 3);
  expect_same_bits([&](const Threads& threads) {
    Matrix y(9001, 7);
    multiply(a.view(), b.view(), y.view(), threads);
    return y;
  });
  expect_same_bits([&](const Threads& threads) {
    Matrix y(16, 7);
    std::vector<float> scratch(multiply_transpose_scratch(9001, 16, 7));
    multiply_transpose(a.view(), g.view(), y.view(), scratch, threads);
    return y;
  });
  const Matrix wide = random_matrix(500, 1500, 4);
  const Matrix wide_gradient = random_matrix(500, 16, 5);
  expect_same_bits([&](const Threads& threads) {
    Matrix y(1500, 16);
    std::vector<float> scratch(multiply_transpose_scratch(500, 1500, 16));
    multiply_transpose(wide.view(), wide_gradient.view(), y.view(), scratch, threads);
    return y;
  });
  expect_same_bits([&](const Threads& threads) {
    Matrix y(1, 7);
    std::vector<float> scratch(column_sums_scratch(9001, 7));
    column_sums(g.view(), y.values(), scratch, threads);
    return y;
  });
  expect_same_bits([&](const Threads& threads) {
    Matrix y(9001, 7);
    copy(g.view(), y.view(), threads);
    add(g.view(), y.view(), threads);
    add_to_rows(b.view().row(0), y.view(), threads);
    scale_rows(a.values().first(9001), y.view(), y.view(), threads);
    return y;
  });
}

TEST(Threads, ActivationLossAndAdam) {
  const Matrix z = random_matrix(9001, 16, 1, -4, 4);
  const DropoutMask mask = DropoutMask::make(0.5, 1, 2);
  expect_same_bits([&](const Threads& threads) {
    Matrix out(9001, 16);
    selu_dropout_forward(z.view(), mask, out.view(), threads);
    Matrix gradient = random_matrix(9001, 16, 2);
    selu_dropout_backward(out.view(), mask, gradient.view(), threads);
    return gradient;
  });
  std::vector<std::uint32_t> rows(9001);
  std::vector<std::uint32_t> labels(9001);
  for (std::uint32_t i = 0; i < 9001; ++i) {
    rows[i] = i;
    labels[i] = i % 5;
  }
  expect_same_bits([&](const Threads& threads) {
    Matrix gradient(9001, 16);
    std::vector<LossPart> parts(loss_tasks(9001));
    const Loss loss = softmax_cross_entropy_gradient(z.view(), 5, rows, labels, parts, gradient.view(), threads);
    gradient.values()[0] = static_cast<float>(loss.mean);
    return gradient;
  });
  expect_same_bits([&](const Threads& threads) {
    Matrix parameters = random_matrix(9001, 16, 3);
    Matrix first(9001, 16);
    Matrix second(9001, 16);
    adam_step({}, 1, z.values(), parameters.values(), first.values(), second.values(), threads);
    return parameters;
  });
}

TEST(Threads, Attention) {
  const auto graph = test::random_graph(5000, 40000, 1, test::Loops::with);
  const auto matrix = SparseMatrix::make(graph.view(), {});
  const TransposedPattern turned = transpose(graph.view());
  const auto turned_matrix = SparseMatrix::make(turned.view(), {});
  const AttentionPattern pattern{.forward = &*matrix, .transposed = &*turned_matrix, .source = turned.source};
  const Matrix t = random_matrix(5000, 64, 2);
  const Matrix g = random_matrix(5000, 64, 3);
  const Matrix vector = random_matrix(1, 64, 4);
  expect_same_bits([&](const Threads& threads) {
    Matrix from(5000, 4);
    Matrix to(5000, 4);
    Matrix weights(graph.columns.size(), 4);
    Matrix scores(graph.columns.size(), 4);
    Matrix out(5000, 64);
    Matrix gradient_from(5000, 4);
    Matrix gradient_to(5000, 4);
    attention_scores(t.view(), vector.values(), 4, from.view(), threads);
    attention_scores(g.view(), vector.values(), 4, to.view(), threads);
    attention_forward(pattern, t.view(), 4, from.view(), to.view(), weights.view(), out.view(), threads);
    attention_backward_scores(pattern, t.view(), 4, from.view(), to.view(), weights.view(), out.view(), scores.view(),
                              gradient_to.view(), threads);
    attention_backward_nodes(pattern, 4, weights.view(), scores.view(), g.view(), gradient_to.view(), vector.values(),
                             vector.values(), gradient_from.view(), out.view(), threads);
    std::vector<float> scratch(attention_vector_scratch(5000, 64));
    attention_vector_gradient(t.view(), gradient_from.view(), out.values().first(64), scratch, threads);
    return out;
  });
}

}  // namespace
}  // namespace ppgnn::kernels
