#docs / operations.md has every problem with its status, every metric, every option of ppgnn serve that is a limit, \
    and every alert;                                                                                                \
    and no other
#problem or metric.
file(READ ${PROJECT} / docs / operations.md page) set(wrong "")

#The names that `pattern` finds in a file; its first group is the name.
    function(names_in file pattern out) file(READ ${PROJECT} / ${file} text) string(
        REGEX MATCHALL "${pattern}" found "${text}") set(names "") foreach (one IN LISTS found) string(REGEX REPLACE
                                                                                                       "${pattern}"
                                                                                                       "\\1" name
                                                                                                       "${one}")
        list(APPEND names "${name}") endforeach() if (NOT names) message(FATAL_ERROR "${file}: nothing fits ${pattern}")
            endif() list(REMOVE_DUPLICATES names) list(SORT names) set($ { out } "${names}" PARENT_SCOPE) endfunction()

                names_in(include / ppgnn / collector /
                         problems.hpp
                         "ProblemRow{Problem::[a-z_]+, \"([a-z-]+\", [0-9]+)" problems) list(TRANSFORM problems REPLACE
                                                                                             "\", "
                                                                                             "` | ")
                    names_in(docs / operations.md
                                    "\n[|] `([a-z-]+` [|] [45][0-9][0-9])" listed) if (NOT problems STREQUAL listed)
                        string(APPEND wrong "\nproblems: there are [${problems}], listed are [${listed}]") endif()

                            names_in(src / collector / api_status.cpp "samples[.][a-z]+[(]\"([a-z_]+)" metrics)
                                names_in(docs / operations.md
                                                "\n[|] `ppgnn_([a-z_]+)" listed) if (NOT metrics STREQUAL listed)
                                    string(APPEND wrong
                                           "\nmetrics: there are [${metrics}], listed are [${listed}]") endif()

                                        names_in(packaging / ppgnn - alerts.yml "alert: ([A-Za-z]+)" alerts) names_in(
                                            docs / operations.md
                                                   "\n[|] `(Ppgnn[A-Za-z]+)" listed) if (NOT alerts STREQUAL listed)
                                            string(APPEND wrong
                                                   "\nalerts: there are [${alerts}], listed are [${listed}]") endif()

                                                foreach (option IN ITEMS person - rate address -
                                                         rate exempt connections idle timeout waiting drain
                                                             threads) if (NOT page MATCHES "[|] [^|\n]*`--${option}`")
                                                    string(APPEND wrong "\nlimits: --${option} is missing") endif()
                                                        endforeach() if (wrong)
                                                            message(FATAL_ERROR "docs/operations.md:${wrong}") endif()
