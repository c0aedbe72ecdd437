# A report kind of one bit.
set(section "To add a report kind")
set(names coin)
foreach(path IN ITEMS include/ppgnn/ldp/coin.hpp src/ldp/coin.cpp src/audit/coin_spectator.cpp tests/ldp/coin_test.cpp
        docs/proofs/coin.md)
  add_file(${path})
endforeach()
insert_after(include/ppgnn/ldp/report.hpp "category,    ///< CategoryResponse: one class out of C" "\n  coin,")
insert_after(include/ppgnn/ldp/mechanism.hpp "#include \"ppgnn/ldp/category_response.hpp\"" "\n#include \"ppgnn/ldp/coin.hpp\"")
insert_after(include/ppgnn/ldp/mechanism.hpp "MechanismList<SignBits, CategoryResponse" ", Coin")
insert_after(include/ppgnn/ldp/mechanism.hpp "return call(CategoryResponse{});" "\n    case ReportKind::coin:\n      return call(Coin{});")
insert_after(src/audit/spectator.hpp "make_category_spectator(const ldp::Plan& plan);"
             "\n[[nodiscard]] std::unique_ptr<Spectator> make_coin_spectator(const ldp::Plan& plan);")
insert_after(src/audit/falsifier.cpp "return make_category_spectator(plan);"
             "\n    case ldp::ReportKind::coin:\n      return make_coin_spectator(plan);")
insert_after(src/CMakeLists.txt "ldp/certificate.cpp" " ldp/coin.cpp")
insert_after(src/CMakeLists.txt "audit/category_spectator.cpp" " audit/coin_spectator.cpp")
insert_after(docs/formats/plan.md "# " "`coin` ")
insert_after(docs/formats/report.md "# " "`22` (kind `coin`) ")
insert_after(tests/CMakeLists.txt "ldp/certificate_test.cpp" " ldp/coin_test.cpp")
insert_after(tests/support/plans.hpp "return category_request(std::move(budgets), 5);"
             "\n    case ldp::ReportKind::coin: {\n      ldp::PlanRequest request = number_request(std::move(budgets), 1);\n      request.kind = kind;\n      return request;\n    }")
insert_after(tests/support/enumerate.hpp "walk(level, row, reported, subset_stretches(level), chances);\n          break;"
             "\n        case ldp::ReportKind::coin:\n          walk(level, row, reported, coin_stretches(level, row), chances);\n          break;")
insert_after(tests/support/enumerate.hpp "    long double chance = 1;\n  };\n"
"
  // Heads below the threshold of the sign sampler, found by its own words.
  std::vector<Stretch> coin_stretches(ldp::Level level, const ldp::Row& row) const {
    random::UInt128 low = 0;
    random::UInt128 high = random::UInt128{1} << 93;
    const auto words = [](random::UInt128 draw) {
      const auto [first, second] = words_for_sign(draw);
      return std::vector<std::uint64_t>{first, second};
    };
    while (low < high) {
      const random::UInt128 middle = (low + high) / 2;
      if (std::get<3>(play(level, row, words(middle)))[0] == 1) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const auto heads = static_cast<long double>(low) * 0x1p-93L;
    return {{words(low - 1), heads}, {words(low), 1 - heads}};
  }
")

set(sources src/ldp/answer_response.cpp src/ldp/asked.cpp src/ldp/bucket_response.cpp src/ldp/category_response.cpp
            src/ldp/certificate.cpp src/ldp/coin.cpp src/ldp/decide.cpp src/ldp/direction_response.cpp src/ldp/estimate.cpp
            src/ldp/hint.cpp src/ldp/published_model.cpp
            src/ldp/level_response.cpp src/ldp/plan.cpp src/ldp/plan_text.cpp src/ldp/planner.cpp src/ldp/question.cpp
            src/ldp/schema.cpp src/ldp/sealed_text.cpp src/ldp/sign_bits.cpp src/ldp/subset_response.cpp src/ldp/subset_shapes.cpp src/ldp/words.cpp
            src/wire/report_format.cpp src/client/client.cpp src/client/ledger.cpp src/client/limits.cpp src/client/words.cpp src/audit/category_spectator.cpp src/audit/coin_spectator.cpp
            src/audit/falsifier.cpp src/audit/sign_spectator.cpp src/audit/subset_spectator.cpp)
set(tests tests/ldp/coin_test.cpp tests/ldp/mechanism_test.cpp tests/ldp/words_test.cpp)
set(rooms seeded random core)
set(packages "")
set(filter "*")
