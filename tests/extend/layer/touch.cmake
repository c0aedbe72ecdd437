# A graph layer that adds up its neighbours.
set(section "To add a graph layer")
set(names sum)
add_file(src/nn/sum.cpp)
add_file(tests/golden/sum.json)
insert_after(src/CMakeLists.txt "nn/network.cpp nn/sage.cpp" " nn/sum.cpp")
insert_after(src/nn/layers.hpp "make_gcn, make_sage, make_gat" ", make_sum")
insert_after(src/nn/backbones.cpp "Backbone{\"gat\", \"GAT\", 8, true, make_gat}," "\n    Backbone{\"sum\", \"Sum\", 1, false, make_sum},")
insert_after(scripts/golden/make_golden.py "    \"gat\": Layer(gat, 4, [\"weight\"], [\"bias\", \"from\", \"to\"]),"
             "\n    \"sum\": Layer(lambda a, x, p: a / 8 @ (x @ p[\"weight\"]) + p[\"bias\"], 1, [\"weight\"], [\"bias\"]),")
insert_after(docs/formats/study.md "`gcn`, `sage`, `gat`" ", `sum`")

set(sources src/nn/backbones.cpp src/nn/gat.cpp src/nn/gcn.cpp src/nn/glorot.cpp src/nn/network.cpp src/nn/sage.cpp src/nn/sum.cpp)
set(tests tests/nn/golden_test.cpp tests/nn/network_test.cpp)
set(rooms calibrate graph kernels ldp io seeded random core)
set(packages TBB::tbb hwy::hwy)
set(filter "*sum*")
